package io.stele.flink.source;

import java.util.List;
import java.util.Optional;

/**
 * What a checkpoint has of a scan beside the splits that the readers have.
 *
 * @param snapshot empty: none is open yet
 * @param shards those that no reader has
 */
record ScanProgress(Optional<OpenSnapshot> snapshot, List<Integer> shards) {
    ScanProgress {
        shards = List.copyOf(shards);
    }
}
