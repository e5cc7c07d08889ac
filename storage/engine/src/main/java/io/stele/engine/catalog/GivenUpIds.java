package io.stele.engine.catalog;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.TableId;

/**
 * Ranges of the table and group ids that given-up catalog versions may have assigned, so that their
 * tables count as lost, not dropped. None of these ids is assigned again.
 *
 * @param firstTableId inclusive
 * @param nextTableId exclusive end of the range
 * @param firstTableGroupId inclusive
 * @param nextTableGroupId exclusive end of the range
 */
record GivenUpIds(
        @JsonProperty("firstTableId") long firstTableId,
        @JsonProperty("nextTableId") long nextTableId,
        @JsonProperty("firstTableGroupId") int firstTableGroupId,
        @JsonProperty("nextTableGroupId") int nextTableGroupId) {
    /** The id of a staged table, which one of the versions may have published. */
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
