package io.stele.connector.read.split;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.ReadEstimate;
import io.trino.spi.connector.ConnectorSplit;
import java.util.List;
import java.util.Optional;

/**
 * The planned splits of a scan, with the cost estimate behind them.
 *
 * @param estimate by which a lookup or a scan was chosen; empty where there was no choice
 */
record PlannedSplits(List<ConnectorSplit> splits, Optional<ReadEstimate> estimate) {
    PlannedSplits {
        splits = List.copyOf(splits);
        requireNonNull(estimate, "estimate is null");
    }

    static PlannedSplits of(ConnectorSplit split, Optional<ReadEstimate> estimate) {
        return new PlannedSplits(List.of(split), estimate);
    }
}
