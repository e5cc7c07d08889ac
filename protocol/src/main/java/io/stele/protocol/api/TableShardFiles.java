package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.util.List;

/**
 * What one shard has of a table now.
 *
 * @param appliedLsn of the whole shard
 * @param memoryRows versions of rows that are in no file yet
 * @param memoryBytes what they and their index entries take
 * @param files in no order
 */
public record TableShardFiles(
        ShardId shard, Lsn appliedLsn, long memoryRows, long memoryBytes, List<TableFile> files) {
    public TableShardFiles {
        requireNonNull(shard, "shard is null");
        requireNonNull(appliedLsn, "appliedLsn is null");
        files = List.copyOf(files);
    }
}
