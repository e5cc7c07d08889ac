package io.stele.connector.handle;

import java.util.Locale;

/**
 * The estimated cost of an aggregation in the sidecar, beside that of a scan by workers. Both are
 * made to be compared with each other, not with a clock.
 *
 * @param sidecarMillis of the aggregation in the sidecar, in milliseconds
 * @param sidecarRequests its requests to the store
 * @param sidecarBytes bytes that it reads
 * @param workersMillis of the scan by workers, in milliseconds
 * @param scanFiles column files of the scan
 * @param scanBytes bytes of the wanted columns in these files
 * @param isSidecar whether the sidecar aggregates
 * @param fillsCaches whether it does so for the aggregations after this one, which is not cheaper
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
