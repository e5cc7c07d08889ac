package io.stele.cache;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A weight-bounded memory cache of mutable data, used for rows found by key lookups, that never
 * returns a value older than a completed change.
 *
 * <p>A writer calls {@link #beginChange} before it changes the data of a key, and {@link
 * #endChange} after the change. A reader that misses takes a ticket with {@link #beginLoad}, reads
 * the data, and offers the value with that ticket.
 *
 * <p>Invariant: between the beginning and the end of a change, the key has no value in the cache.
 * Invariant: a value is cached only if no change of its key was in progress at any time since its
 * ticket was taken. So once a reader may have seen the changed data, no reader finds the earlier
 * value in the cache.
 *
 * <p>Thread-safe; no thread is created: eviction runs in the thread that caused it.
 */
public final class ChangingCache<K, V> {
    /** The ticket of a load whose value must not be cached. */
    public static final long REFUSED = -1;

    /*
     * A stripe is one number for the keys of some hash codes: the count of begun changes in the
     * upper 48 bits, the count of changes in progress in the lower 16. A ticket is that number
     * while no change is in progress. A value is cached inside the map's atomic computation for its
     * key, which checks the stripe again. beginChange counts first and then removes the value,
     * atomically, too. In either order no stale value stays: a value cached before is removed, and
     * a later computation sees the count. Keys that share a stripe only refuse each other's loads
     * now and then.
     */
    private static final int STRIPES =
            1 << 12; // 32 KiB: at 100,000 changes a second and loads of 10 us, one load in
    // 4,000 is refused

    private static final long BEGUN = 1L << 16;
    private static final long UNDER_WAY_MASK = BEGUN - 1;

    private final String name;
    private final Cache<K, V> entries;
    private final long maxWeightBytes;
    private final AtomicLongArray stripes = new AtomicLongArray(STRIPES);
    private final ToLongBiFunction<? super K, ? super V> weightBytes;
    private final LoadTimes loadTimes = new LoadTimes();
    private final LongAdder hits = new LongAdder();
    private final LongAdder hitBytes = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final RemovalCounts removals = new RemovalCounts();

    /**
     * @param weightBytes the memory of a key and its value in bytes; must be cheap to compute; more
     *     than 2 GiB counts as 2 GiB
     */
    public ChangingCache(
            String name, long maxWeightBytes, ToLongBiFunction<? super K, ? super V> weightBytes) {
        this.name = requireNonNull(name, "name is null");
        this.weightBytes = requireNonNull(weightBytes, "weightBytes is null");
        if (maxWeightBytes < 0) {
            throw new IllegalArgumentException("maxWeightBytes must be >= 0: " + maxWeightBytes);
        }
        this.maxWeightBytes = maxWeightBytes;
        this.entries =
                Caffeine.newBuilder()
                        .maximumWeight(maxWeightBytes)
                        .<K, V>weigher(
                                (key, value) ->
                                        (int)
                                                Math.clamp(
                                                        weightBytes.applyAsLong(key, value),
                                                        0,
                                                        Integer.MAX_VALUE))
                        .executor(Runnable::run)
                        .<K, V>removalListener((key, value, cause) -> removals.count(cause))
                        .build();
    }

    /** The value of a key, if it is cached; counts a hit or a miss. */
    public @Nullable V find(K key) {
        V value = entries.getIfPresent(key);
        if (value == null) {
            misses.increment();
            return null;
        }
        hits.increment();
        hitBytes.add(weightBytes.applyAsLong(key, value));
        return value;
    }

    /** A ticket for {@link #offer}; must be taken before the data is read. */
    public long beginLoad(K key) {
        long stripe = stripes.get(stripe(key));
        return (stripe & UNDER_WAY_MASK) == 0 ? stripe : REFUSED;
    }

    /**
     * Caches a value that was read since the ticket was taken, unless its key may have changed
     * since.
     *
     * @param nanos the time that the read took
     */
    public void offer(K key, V value, long ticket, long nanos) {
        loadTimes.loaded(nanos);
        if (ticket == REFUSED) {
            return;
        }
        entries.asMap()
                .compute(
                        key,
                        (same, present) -> stripes.get(stripe(same)) == ticket ? value : present);
    }

    /**
     * Begins a change of a key's data: removes its value, and refuses values until {@link
     * #endChange}, which must follow each call.
     */
    public void beginChange(K key) {
        stripes.addAndGet(stripe(key), BEGUN + 1);
        entries.asMap().remove(key);
    }

    /** Ends a change, which every reader can see now. */
    public void endChange(K key) {
        stripes.decrementAndGet(stripe(key));
    }

    public CacheStatistics statistics() {
        OptionalLong weight =
                entries.policy()
                        .eviction()
                        .map(Policy.Eviction::weightedSize)
                        .orElse(OptionalLong.empty());
        return new CacheStatistics(
                name,
                hits.sum(),
                misses.sum(),
                0,
                hitBytes.sum(),
                OptionalLong.of(loadTimes.savedNanos(hits.sum())),
                removals.space(),
                removals.replaced(),
                removals.invalidated(),
                entries.estimatedSize(),
                weight.orElse(0),
                maxWeightBytes);
    }

    private int stripe(K key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return hash >>> (Integer.SIZE - 12);
    }
}
