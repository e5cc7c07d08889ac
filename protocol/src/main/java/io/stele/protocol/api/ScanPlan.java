package io.stele.protocol.api;

import java.util.List;

/**
 * What a scan reads, shard by shard, all at one snapshot.
 *
 * @param readLsn the snapshot
 * @param fromLsn rows below have expired; 0: none
 */
public record ScanPlan(long readLsn, long fromLsn, List<ShardScan> shards) {
    public ScanPlan {
        shards = List.copyOf(shards);
    }
}
