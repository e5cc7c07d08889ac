package io.stele.flink.source;

import io.stele.client.lease.LeasedSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * The part of a checkpoint that the enumerator of a scan has.
 *
 * @param snapshot empty: none is open yet
 * @param shards those that no reader has
 */
record ScanProgress(Optional<LeasedSnapshot> snapshot, List<Integer> shards) {
    ScanProgress {
        shards = List.copyOf(shards);
    }
}
