package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.metrics.Metrics;
import java.util.List;
import java.util.Map;

/**
 * The result of planning a scan: its splits, and counts of how they will be read.
 *
 * @param nativeFiles data files that are read without merging, by readers of this plugin
 * @param mergedSplits splits whose rows readers of this plugin merge
 * @param paimonSplits splits that Paimon's own reader reads
 * @param rows the number of rows in the data files of all splits, including deleted and obsolete
 *     rows
 */
record PlannedScan(
        List<ConnectorSplit> splits,
        long nativeFiles,
        long mergedSplits,
        long paimonSplits,
        long rows) {
    PlannedScan {
        splits = List.copyOf(requireNonNull(splits, "splits is null"));
    }

    static PlannedScan empty() {
        return new PlannedScan(List.of(), 0, 0, 0, 0);
    }

    /** The counts, as EXPLAIN ANALYZE VERBOSE shows them. */
    Metrics metrics() {
        return new Metrics(
                Map.of(
                        "native files", new LongCount(nativeFiles),
                        "splits merged natively", new LongCount(mergedSplits),
                        "splits read by Paimon's reader", new LongCount(paimonSplits),
                        "rows of the files", new LongCount(rows)));
    }
}
