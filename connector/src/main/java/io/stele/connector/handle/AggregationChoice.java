package io.stele.connector.handle;

import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metrics;
import java.util.Locale;
import java.util.Map;

/**
 * The estimated costs of an aggregation in the sidecar and of a scan by workers instead, with the
 * choice between them, for EXPLAIN. The estimates are comparable with each other, not with a clock.
 *
 * @param sidecarMillis estimated time of the aggregation in the sidecar, in milliseconds
 * @param sidecarRequests its requests to the store
 * @param sidecarBytes bytes that it reads
 * @param workersMillis estimated time of the scan by workers, in milliseconds
 * @param scanFiles column files of the scan
 * @param scanBytes bytes of the wanted columns in these files
 * @param isSidecar whether the sidecar aggregates
 * @param fillsCaches whether the sidecar aggregates only to fill its caches for later aggregations,
 *     though this one is not cheaper there
 */
public record AggregationChoice(
        long sidecarMillis,
        long sidecarRequests,
        long sidecarBytes,
        long workersMillis,
        int scanFiles,
        long scanBytes,
        boolean isSidecar,
        boolean fillsCaches) {
    private static final double MIB = 1 << 20;

    /** The metrics in EXPLAIN ANALYZE VERBOSE. */
    public Metrics metrics() {
        return new Metrics(
                Map.of(
                        "Aggregation in sidecar estimated ms",
                        new LongCount(sidecarMillis),
                        "Aggregation in workers estimated ms",
                        new LongCount(workersMillis),
                        "Aggregation in workers estimated files",
                        new LongCount(scanFiles)));
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "estimated sidecar %d ms (%d requests, %.1f MiB), workers %d ms (%d files, %.1f MiB): %s",
                sidecarMillis,
                sidecarRequests,
                sidecarBytes / MIB,
                workersMillis,
                scanFiles,
                scanBytes / MIB,
                !isSidecar ? "workers" : fillsCaches ? "sidecar, to fill its caches" : "sidecar");
    }
}
