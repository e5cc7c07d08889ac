package io.stele.flink.source;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A split of a scan: the rows of one shard at a snapshot. Immutable.
 *
 * @param snapshotId the lease that keeps the snapshot readable
 * @param readLsn the LSN of the snapshot
 */
record ShardSplit(int shard, String snapshotId, Lsn readLsn) implements SourceSplit {
    ShardSplit {
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(readLsn, "readLsn is null");
    }

    @Override
    public String splitId() {
        return Integer.toString(shard);
    }
}
