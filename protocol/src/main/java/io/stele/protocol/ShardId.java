package io.stele.protocol;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The identity of one shard of a table group, which is the unit of ownership, logging and recovery.
 *
 * @param tableGroup id of the table group, {@code >= 0}
 * @param index position of the shard in its group, {@code >= 0}
 */
public record ShardId(@JsonProperty("tableGroup") int tableGroup, @JsonProperty("index") int index)
        implements Comparable<ShardId> {
    public ShardId {
        if (tableGroup < 0 || index < 0) {
            throw new IllegalArgumentException(
                    "Expected a shard id of two numbers >= 0, found "
                            + tableGroup
                            + " and "
                            + index);
        }
    }

    @Override
    public int compareTo(ShardId other) {
        int byGroup = Integer.compare(tableGroup, other.tableGroup);
        return byGroup != 0 ? byGroup : Integer.compare(index, other.index);
    }

    /** {@code tableGroup-index}, as in the paths of the warehouse. */
    @Override
    public String toString() {
        return tableGroup + "-" + index;
    }
}
