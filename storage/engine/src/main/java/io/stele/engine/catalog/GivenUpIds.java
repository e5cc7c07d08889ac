package io.stele.engine.catalog;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.TableId;

/**
 * Ids that catalog versions which were given up may have given: what has them is not dropped, but
 * lost. None of them is given again.
 *
 * @param nextTableId the first after them
 * @param nextTableGroupId the first after them
 */
record GivenUpIds(
        @JsonProperty("firstTableId") long firstTableId,
        @JsonProperty("nextTableId") long nextTableId,
        @JsonProperty("firstTableGroupId") int firstTableGroupId,
        @JsonProperty("nextTableGroupId") int nextTableGroupId) {
    /** A staged table, which one of the versions may have published. */
    static GivenUpIds of(TableId staged) {
        return new GivenUpIds(staged.value(), staged.value() + 1, 0, 0);
    }

    boolean has(TableId table) {
        return table.value() >= firstTableId && table.value() < nextTableId;
    }

    boolean hasGroup(int tableGroup) {
        return tableGroup >= firstTableGroupId && tableGroup < nextTableGroupId;
    }
}
