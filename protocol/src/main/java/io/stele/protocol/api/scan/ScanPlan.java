package io.stele.protocol.api.scan;

import java.util.List;

/**
 * The plan of a scan, shard by shard, all at one snapshot.
 *
 * @param readLsn the snapshot LSN
 * @param fromLsn rows below this LSN have expired; 0: none
 */
public record ScanPlan(long readLsn, long fromLsn, List<ShardScan> shards) {
    public ScanPlan {
        shards = List.copyOf(shards);
    }
}
