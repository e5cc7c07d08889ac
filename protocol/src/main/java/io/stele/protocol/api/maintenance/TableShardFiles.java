package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.util.List;

/**
 * The present data of a table in one shard, in replies that list files: row versions in memory, and
 * files.
 *
 * @param appliedLsn of the whole shard
 * @param memoryRows row versions that are in no file yet
 * @param memoryBytes bytes of these row versions and of their index entries
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
