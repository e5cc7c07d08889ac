package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.cache.BenefitCache;
import io.stele.cache.BenefitCache.Claim;
import io.stele.cache.BenefitCacheOptions;
import io.stele.cache.BenefitStatistics;
import io.stele.objectstore.cached.DataFiles;
import io.stele.objectstore.cached.FragmentUses;
import io.stele.protocol.api.FragmentCacheUse;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The aggregate cache: the encoded partial results of aggregations over single immutable files. A
 * {@link BenefitCache} chooses what to evict; a {@link FragmentLog} may store results over a
 * restart. Thread-safe.
 */
public final class FragmentCache {
    private final BenefitCache<FragmentKey, byte[]> results;
    private final LongSupplier nanoTime;
    private final Consumer<String> mismatch;
    private volatile @Nullable FragmentLog log;

    /**
     * @param nanoTime the clock that measures computing a result
     * @param mismatch called for cached results that differ from computed ones
     */
    public FragmentCache(
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
    Claim<byte[]> claim(FragmentKey key) {
        return results.claim(key);
    }

    /** Ends a claim whose result was computed, or given up (empty). */
    void finish(FragmentKey key, Optional<byte[]> state, long nanos) {
        boolean isKept = results.finish(key, state, nanos);
        FragmentLog target = log;
        if (isKept && target != null) {
            target.append(key, state.orElseThrow(), nanos);
        }
    }

    /** Compares a result that was found with what it is. */
    void verify(FragmentKey key, byte[] found, byte[] computed) {
        if (Arrays.equals(found, computed)) {
            return;
        }
        results.mismatch(key);
        mismatch.accept(
                "Expected fragment result of %s bytes, found %s other bytes in the cache for %s with %s rows deleted, fragment %s"
                        .formatted(
                                computed.length,
                                found.length,
                                key.path(),
                                key.deletedCount(),
                                key.fragment()));
    }

    /** Removes a result that cannot be decoded. */
    void forget(FragmentKey key, Exception reason) {
        results.mismatch(key);
        mismatch.accept(
                "Expected a fragment result for %s with %s rows deleted, found one that cannot be read (%s): it is computed again, fragment %s"
                        .formatted(key.path(), key.deletedCount(), reason, key.fragment()));
    }

    /**
     * Adds a result that an earlier process stored, the oldest first, also while others use the
     * cache. It never replaces a result computed since, or one found to be wrong.
     */
    public void restore(FragmentKey key, byte[] state, long nanos) {
        results.restore(key, state, nanos);
    }

    /** Has results written to a log from now on. */
    public void keepIn(FragmentLog newLog) {
        log = newLog;
    }

    /** Largest result that is cached. */
    int maxEntryBytes() {
        return results.maxEntryBytes();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    public BenefitStatistics statistics() {
        return results.statistics();
    }

    /** As {@link FragmentUses#of}. */
    public List<FragmentCacheUse> uses(UnaryOperator<String> name) {
        return FragmentUses.of(results, name);
    }

    public long maxBytes() {
        return results.maxBytes();
    }
}
