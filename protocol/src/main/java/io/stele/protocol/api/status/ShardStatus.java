package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;

/**
 * The state of one shard in a sidecar's status reply: applied LSN, size in memory and in files, and
 * manifest version.
 */
public record ShardStatus(
        ShardId shard,
        Lsn appliedLsn,
        long memoryRows,
        long memoryBytes,
        long fileCount,
        long fileBytes,
        long manifestVersion) {
    public ShardStatus {
        requireNonNull(shard, "shard is null");
        requireNonNull(appliedLsn, "appliedLsn is null");
    }
}
