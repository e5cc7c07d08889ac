package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.ShardId;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A catalog entry of a set of shards that several tables share. It is created with its first table,
 * never changed, and retained when its last table is dropped.
 *
 * @param id part of every {@link ShardId} of the group
 * @param name lower-case, unique
 */
public record TableGroup(
        @JsonProperty("id") int id,
        @JsonProperty("name") String name,
        @JsonProperty("shardCount") int shardCount) {
    public TableGroup {
        requireNonNull(name, "name is null");
        if (id < 0 || shardCount < 1) {
            throw new IllegalArgumentException(
                    "Expected an id >= 0 and a shard count >= 1, found "
                            + id
                            + " and "
                            + shardCount
                            + " for table group "
                            + name);
        }
    }

    /** The shards of the group, in order. */
    public List<ShardId> shards() {
        return IntStream.range(0, shardCount).mapToObj(index -> new ShardId(id, index)).toList();
    }
}
