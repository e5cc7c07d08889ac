package io.stele.protocol.api.scan;

import java.util.List;

/**
 * A sidecar's reply with the plan of a scan of a table, shard by shard, all at one snapshot.
 *
 * @param readLsn the snapshot LSN
 * @param fromLsn rows below this LSN have expired; 0: none
 */
public record ScanPlan(long readLsn, long fromLsn, List<ShardScan> shards) {
    public ScanPlan {
        shards = List.copyOf(shards);
    }
}
