package io.stele.connector.handle;

import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metrics;
import java.util.Locale;
import java.util.Map;

/**
 * The estimated costs of a key lookup and of the scan that it can replace, with the choice between
 * them, for EXPLAIN. The estimates are comparable with each other, not with a clock.
 *
 * @param keys number of wanted keys
 * @param lookupMillis estimated time of the lookup, in milliseconds
 * @param lookupRequests requests of the lookup to the store
 * @param lookupBytes bytes that the lookup reads
 * @param scanMillis estimated time of the scan by workers, in milliseconds
 * @param scanFiles column files of the scan
 * @param scanBytes bytes of these files, with all columns
 * @param isLookup whether the rows are looked up
 */
public record ReadEstimate(
        int keys,
        long lookupMillis,
        long lookupRequests,
        long lookupBytes,
        long scanMillis,
        int scanFiles,
        long scanBytes,
        boolean isLookup) {
    private static final double MIB = 1 << 20;

    /** The metrics in EXPLAIN ANALYZE VERBOSE. */
    public Metrics metrics() {
        return new Metrics(
                Map.of(
                        isLookup ? "Keys looked up" : "Keys scanned for",
                        new LongCount(keys),
                        "Lookup estimated ms",
                        new LongCount(lookupMillis),
                        "Scan estimated ms",
                        new LongCount(scanMillis),
                        "Scan estimated files",
                        new LongCount(scanFiles)));
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        return costs() + ": " + (isLookup ? "lookup" : "scan");
    }

    /** The text in EXPLAIN without the choice. */
    String costs() {
        return String.format(
                Locale.ROOT,
                "estimated lookup %d ms (%d requests, %.1f MiB), scan %d ms (%d files, %.1f MiB)",
                lookupMillis,
                lookupRequests,
                lookupBytes / MIB,
                scanMillis,
                scanFiles,
                scanBytes / MIB);
    }
}
