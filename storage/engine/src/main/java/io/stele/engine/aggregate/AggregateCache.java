package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.cache.BenefitCache;
import io.stele.cache.BenefitCache.Claim;
import io.stele.cache.BenefitCacheOptions;
import io.stele.cache.BenefitStatistics;
import io.stele.objectstore.cached.DataFiles;
import io.stele.objectstore.cached.ResultCacheUses;
import io.stele.protocol.api.status.ResultCacheUse;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The aggregate cache: the encoded partial results of aggregations over single immutable files. A
 * {@link BenefitCache} chooses what to evict; a {@link AggregateCacheLog} may store results over a
 * restart. Thread-safe.
 */
public final class AggregateCache {
    private final BenefitCache<AggregateCacheKey, byte[]> results;
    private final LongSupplier nanoTime;
    private final Consumer<String> mismatch;
    private volatile @Nullable AggregateCacheLog log;

    /**
     * @param nanoTime the clock that measures computing a result
     * @param mismatch called for cached results that differ from computed ones
     */
    public AggregateCache(
            BenefitCacheOptions options, LongSupplier nanoTime, Consumer<String> mismatch) {
        this.results =
                new BenefitCache<>(
                        options,
                        key -> DataFiles.tableId(key.path()).orElse(""),
                        key -> key.path().length(),
                        state -> state.length);
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.mismatch = requireNonNull(mismatch, "mismatch is null");
    }

    /** As {@link BenefitCache#claim}. */
    Claim<byte[]> claim(AggregateCacheKey key) {
        return results.claim(key);
    }

    /** As {@link BenefitCache#has}. */
    boolean has(AggregateCacheKey key) {
        return results.has(key);
    }

    /** Ends a claim whose result was computed, or given up (empty). */
    void finish(AggregateCacheKey key, Optional<byte[]> state, long nanos) {
        boolean isKept = results.finish(key, state, nanos);
        AggregateCacheLog target = log;
        if (isKept && target != null) {
            target.append(key, state.orElseThrow(), nanos);
        }
    }

    /** Reports and removes a cached result that differs from the computed one. */
    void verify(AggregateCacheKey key, byte[] found, byte[] computed) {
        if (Arrays.equals(found, computed)) {
            return;
        }
        results.mismatch(key);
        mismatch.accept(
                "Expected a cached result of %s bytes, found %s other bytes in the cache for %s with %s rows deleted, aggregation %s"
                        .formatted(
                                computed.length,
                                found.length,
                                key.path(),
                                key.deletedCount(),
                                key.digest()));
    }

    /** Removes a result that cannot be decoded. */
    void forget(AggregateCacheKey key, Exception reason) {
        results.mismatch(key);
        mismatch.accept(
                "Expected a cached result for %s with %s rows deleted, found one that cannot be read (%s): it is computed again, aggregation %s"
                        .formatted(key.path(), key.deletedCount(), reason, key.digest()));
    }

    /**
     * Adds a result that an earlier process stored; results are added oldest first, also while
     * queries use the cache. It never replaces a result computed since, or one found to be wrong.
     */
    public void restore(AggregateCacheKey key, byte[] state, long nanos) {
        results.restore(key, state, nanos);
    }

    /** Appends every result that is cached from now on to a log. */
    public void keepIn(AggregateCacheLog newLog) {
        log = newLog;
    }

    /** The size of the largest result that is cached. */
    int maxEntryBytes() {
        return results.maxEntryBytes();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    public BenefitStatistics statistics() {
        return results.statistics();
    }

    /** As {@link ResultCacheUses#of}. */
    public List<ResultCacheUse> uses(UnaryOperator<String> name) {
        return ResultCacheUses.of(results, name);
    }

    public long maxBytes() {
        return results.maxBytes();
    }
}
