package io.stele.sidecar.engine;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.objectstore.metrics.Cumulative;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.weakref.jmx.Managed;

/**
 * Gauges of one cache of the engine: its counters and its present size. All are 0 while there is no
 * engine. Thread-safe.
 */
public final class CacheMetrics {
    private final Supplier<Optional<CacheStatistics>> statistics;

    CacheMetrics(Supplier<Optional<CacheStatistics>> statistics) {
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    private long gauge(ToLongFunction<CacheStatistics> value) {
        return statistics.get().map(present -> value.applyAsLong(present)).orElse(0L);
    }

    @Managed(description = "Requests answered by the cache")
    @Cumulative
    public long getHits() {
        return gauge(CacheStatistics::hits);
    }

    @Managed(description = "Requests that the cache could not answer")
    @Cumulative
    public long getMisses() {
        return gauge(CacheStatistics::misses);
    }

    @Managed(description = "Bytes of what was found, each time it was")
    @Cumulative
    public long getHitBytes() {
        return gauge(CacheStatistics::hitBytes);
    }

    @Managed(description = "Milliseconds that hits would have taken, by the mean of the misses")
    public long getSavedMillis() {
        return gauge(cache -> cache.savedMillis().orElse(0));
    }

    @Managed(description = "Entries that made room for others")
    @Cumulative
    public long getEvictions() {
        return gauge(CacheStatistics::evictions);
    }

    @Managed(description = "Entries in whose place others were put")
    @Cumulative
    public long getReplaced() {
        return gauge(CacheStatistics::replaced);
    }

    @Managed(description = "Entries taken out because what they are of changed or is gone")
    @Cumulative
    public long getInvalidated() {
        return gauge(CacheStatistics::invalidated);
    }

    @Managed(description = "Entries held")
    public long getEntries() {
        return gauge(CacheStatistics::entries);
    }

    @Managed(description = "Bytes held")
    public long getBytes() {
        return gauge(CacheStatistics::weightBytes);
    }

    @Managed(description = "Bytes that may be held")
    public long getMaxBytes() {
        return gauge(CacheStatistics::maxWeightBytes);
    }
}
