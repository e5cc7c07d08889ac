package io.stele.connector.read.page;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.stele.protocol.api.status.CachedResultUse;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metrics;
import java.util.Map;

/**
 * A converter of {@link CachedResultUse} counters into the operator metrics of EXPLAIN ANALYZE
 * VERBOSE, for the aggregate cache and the filtered-rows cache. Stateless.
 */
public final class CachedResultMetrics {
    private CachedResultMetrics() {}

    public static Metrics of(CachedResultUse use) {
        return new Metrics(
                Map.of(
                        "Cached results found", new LongCount(use.found()),
                        "Cached results computed", new LongCount(use.computed()),
                        "Cached bytes found", new LongCount(use.foundBytes()),
                        "Cached milliseconds saved",
                                new LongCount(NANOSECONDS.toMillis(use.savedNanos()))));
    }
}
