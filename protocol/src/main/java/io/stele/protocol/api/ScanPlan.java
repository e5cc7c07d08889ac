package io.stele.protocol.api;

import java.util.List;

/**
 * What a scan reads, shard by shard, all at one snapshot.
 *
 * @param readLsn the snapshot
 */
public record ScanPlan(long readLsn, List<ShardScan> shards) {
    public ScanPlan {
        shards = List.copyOf(shards);
    }
}
