package io.stele.connector.metadata.cache;

import static java.util.Objects.requireNonNull;

import io.stele.cache.CacheStatistics;
import io.stele.cache.LoadTimes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.weakref.jmx.Managed;

/**
 * Counters of the coordinator's metadata cache, and the age of the entries that queries used,
 * exported over JMX. Thread-safe.
 */
public final class MetadataCacheMetrics {
    private final Supplier<CacheStatistics> held;
    private final LongAdder hits = new LongAdder();
    private final LongAdder hitBytes = new LongAdder();
    private final LongAdder spared = new LongAdder(); // requests
    private final LoadTimes requestTimes = new LoadTimes();
    private final LongAdder misses = new LongAdder();
    private final LongAdder invalidations = new LongAdder();
    private final LongAdder resets = new LongAdder();
    private final LongAdder checks = new LongAdder();
    private final LongAdder pushes = new LongAdder();
    private final LongAdder reloads = new LongAdder();
    private final LongAdder reconnects = new LongAdder();
    private final LongAdder ageMillis = new LongAdder();
    private final AtomicLong maxAgeMillis = new AtomicLong();
    private final AtomicBoolean watching = new AtomicBoolean();

    MetadataCacheMetrics(Supplier<CacheStatistics> held) {
        this.held = requireNonNull(held, "held is null");
    }

    /**
     * Counts an entry that a query found, also if a request that is sent anyway had to confirm it.
     */
    void hit(long millisOld, long bytes) {
        hits.increment();
        hitBytes.add(bytes);
        ageMillis.add(millisOld);
        maxAgeMillis.accumulateAndGet(millisOld, Math::max);
    }

    /** Counts a request that a hit made unnecessary. */
    void spared() {
        spared.increment();
    }

    /** Counts a separate request, which took {@code nanos} nanoseconds. */
    void requested(long nanos) {
        requestTimes.loaded(nanos);
    }

    void missed() {
        misses.increment();
    }

    void invalidated() {
        invalidations.increment();
    }

    void forgotAll() {
        resets.increment();
    }

    /** A statement requested changes separately. */
    public void checked() {
        checks.increment();
    }

    void pushed() {
        pushes.increment();
    }

    void reloaded() {
        reloads.increment();
    }

    void watching(boolean now) {
        if (watching.getAndSet(now) && !now) {
            reconnects.increment();
        }
    }

    @Managed(description = "Tables and views that queries found")
    public long getHits() {
        return hits.sum();
    }

    @Managed(description = "Bytes of the tables and views that queries found, about")
    public long getHitBytes() {
        return hitBytes.sum();
    }

    @Managed(
            description =
                    "Milliseconds that requests would have taken which were not sent, by the mean of those that were")
    public long getSavedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(requestTimes.savedNanos(spared.sum()));
    }

    @Managed(description = "Tables and views that had to be described by the sidecar")
    public long getMisses() {
        return misses.sum();
    }

    @Managed(description = "Tables and views that were forgotten because they changed")
    public long getInvalidations() {
        return invalidations.sum();
    }

    @Managed(
            description =
                    "Times that everything was forgotten: the sidecar was started, or more changed than it told")
    public long getResets() {
        return resets.sum();
    }

    @Managed(description = "Requests that only asked what changed")
    public long getVersionChecks() {
        return checks.sum();
    }

    @Managed(description = "Messages of the sidecar about what changed, or that nothing did")
    public long getPushes() {
        return pushes.sum();
    }

    @Managed(description = "Tables and views that were described anew before a query wanted them")
    public long getReloads() {
        return reloads.sum();
    }

    @Managed(description = "Whether the sidecar tells of changes as they happen")
    public boolean isWatching() {
        return watching.get();
    }

    @Managed(description = "Times that the stream of changes was lost")
    public long getLostWatches() {
        return reconnects.sum();
    }

    @Managed(description = "Mean time between the moment of the version used and its use")
    public double getMeanAgeMillis() {
        long found = hits.sum();
        return found == 0 ? 0 : (double) ageMillis.sum() / found;
    }

    @Managed(description = "Longest time between the moment of the version used and its use")
    public long getMaxAgeMillis() {
        return maxAgeMillis.get();
    }

    @Managed(description = "Tables and views held")
    public long getEntries() {
        return held.get().entries();
    }

    @Managed(description = "Bytes held, about")
    public long getWeightBytes() {
        return held.get().weightBytes();
    }

    @Managed(description = "Tables and views that made room for others")
    public long getEvictions() {
        return held.get().evictions();
    }

    @Managed(description = "Tables and views that a newer version took the place of")
    public long getReplaced() {
        return held.get().replaced();
    }

    @Managed(description = "Tables and views that were changed, dropped or flushed")
    public long getInvalidated() {
        return held.get().invalidated();
    }
}
