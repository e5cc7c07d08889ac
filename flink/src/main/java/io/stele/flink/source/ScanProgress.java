package io.stele.flink.source;

import io.stele.client.lease.LeasedSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * The enumerator's part of a checkpoint of a scan. Immutable.
 *
 * @param snapshot empty: no snapshot has been opened
 * @param shards the shards that no reader has
 */
record ScanProgress(Optional<LeasedSnapshot> snapshot, List<Integer> shards) {
    ScanProgress {
        shards = List.copyOf(shards);
    }
}
