package io.stele.connector.read.split;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorSplit;
import java.util.List;
import java.util.Optional;

/**
 * The splits of a scan.
 *
 * @param cost by which a lookup or a scan was chosen; empty where there was no choice
 */
record PlannedSplits(List<ConnectorSplit> splits, Optional<ReadCost> cost) {
    PlannedSplits {
        splits = List.copyOf(splits);
        requireNonNull(cost, "cost is null");
    }

    static PlannedSplits of(ConnectorSplit split, Optional<ReadCost> cost) {
        return new PlannedSplits(List.of(split), cost);
    }
}
