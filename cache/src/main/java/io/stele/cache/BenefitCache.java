package io.stele.cache;

import static java.util.Objects.requireNonNull;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory cache of expensive query results, such as aggregates, that retains the values which
 * save the most computation time per byte. Values belong to immutable data and never change. If
 * several callers miss a key at once, the first one computes its value.
 *
 * <p>The value with the lowest place is evicted first (GreedyDual-Size-Frequency, Cherkasova 1998).
 * The place is the computation time in nanoseconds, times the number of uses, divided by the bytes,
 * plus the place of the last evicted value. So values that are cheap for their size are evicted
 * first, and a value that was expensive once is not cached for ever.
 *
 * <p>Invariant: the sum of the entries' bytes is at most {@code maxBytes}. Thread-safe: guarded by
 * its own lock, under which nothing waits.
 */
public final class BenefitCache<K, V> {
    /** The approximate memory of an entry's map and set nodes, key and record. */
    private static final int ENTRY_BYTES = 400;

    /** The most owners with their own statistics; later owners share one set. */
    private static final int MAX_OWNERS = 10_000;

    private static final String OTHERS = "";

    /**
     * The most remembered keys whose values were wrong; with more such keys, no value is restored
     * any more.
     */
    private static final int MAX_FORGOTTEN = 1_000;

    private final BenefitCacheOptions options;
    private final Function<? super K, String> owners;
    private final ToLongFunction<? super K> keyBytes;
    private final ToLongFunction<? super V> valueBytes;
    private final Map<K, Entry<K, V>> entries = new HashMap<>();
    private final TreeSet<Entry<K, V>> byPlace =
            new TreeSet<>(
                    Comparator.comparingDouble((Entry<K, V> entry) -> entry.place)
                            .thenComparingLong(entry -> entry.number));
    private final Map<K, CompletableFuture<Optional<V>>> computations = new HashMap<>();
    private final Set<K> forgotten = new HashSet<>(); // at most MAX_FORGOTTEN
    private final Map<String, Counts> counts = new TreeMap<>();
    private final Counts total = new Counts();
    private double floor; // the place of the entry that was evicted last
    private long numbers;

    /** A cached value; mutable only under the cache's lock. */
    private static final class Entry<K, V> {
        private final K key;
        private final V value;
        private final long valueBytes;
        private final long sizeBytes;
        private final long nanos;
        private final long number;
        private final boolean restored;
        private long uses = 1;
        private double place;

        private Entry(
                K key,
                V value,
                long valueBytes,
                long sizeBytes,
                long nanos,
                long number,
                boolean restored) {
            this.key = key;
            this.value = value;
            this.valueBytes = valueBytes;
            this.sizeBytes = sizeBytes;
            this.nanos = nanos;
            this.number = number;
            this.restored = restored;
        }
    }

    /** The counters of one owner, or of all owners; mutable only under the cache's lock. */
    private static final class Counts {
        private long hits;
        private long misses;
        private long followed;
        private long hitBytes;
        private long savedNanos;
        private long spaceEvictions;
        private long oversized;
        private long verified;
        private long mismatches;
        private long entries;
        private long sizeBytes;

        private BenefitStatistics statistics() {
            return new BenefitStatistics(
                    hits,
                    misses,
                    followed,
                    hitBytes,
                    savedNanos,
                    spaceEvictions,
                    oversized,
                    verified,
                    mismatches,
                    entries,
                    sizeBytes);
        }
    }

    /**
     * @param owners the owner of a key; statistics are counted for each owner
     * @param keyBytes memory of a key in bytes, in addition to its object
     * @param valueBytes memory of a value in bytes
     */
    public BenefitCache(
            BenefitCacheOptions options,
            Function<? super K, String> owners,
            ToLongFunction<? super K> keyBytes,
            ToLongFunction<? super V> valueBytes) {
        this.options = requireNonNull(options, "options is null");
        this.owners = requireNonNull(owners, "owners is null");
        this.keyBytes = requireNonNull(keyBytes, "keyBytes is null");
        this.valueBytes = requireNonNull(valueBytes, "valueBytes is null");
    }

    /**
     * The result of claiming a key.
     *
     * @param value the value; null: not cached
     * @param nanos the time that the computation of the value took
     * @param verify whether to compute the value again, and to compare it
     * @param computation completes with the value when another caller has computed it, or empty if
     *     that failed
     */
    public record Claim<V>(
            @Nullable V value,
            long nanos,
            boolean verify,
            @Nullable CompletableFuture<Optional<V>> computation) {
        /** Whether this caller must compute the value, and must call {@link #finish}. */
        public boolean isTask() {
            return value == null && computation == null;
        }
    }

    /**
     * Claims a key: returns its value, a future to wait for, or neither. In the last case the
     * caller computes the value and must call {@link #finish}.
     */
    public synchronized Claim<V> claim(K key) {
        Claim<V> found = foundOrNull(key);
        if (found != null) {
            return found;
        }
        Counts owner = counts(key);
        CompletableFuture<Optional<V>> computation = computations.get(key);
        if (computation != null) {
            total.followed++;
            owner.followed++;
            return new Claim<>(null, 0, false, computation);
        }
        total.misses++;
        owner.misses++;
        computations.put(key, new CompletableFuture<>());
        return new Claim<>(null, 0, false, null);
    }

    /** The value of a key, if it is cached; a miss is not counted and needs no computation. */
    public synchronized Optional<Claim<V>> find(K key) {
        return Optional.ofNullable(foundOrNull(key));
    }

    /** Whether the value of a key is cached; does not count as a use. */
    public synchronized boolean has(K key) {
        return entries.containsKey(key);
    }

    private @Nullable Claim<V> foundOrNull(K key) {
        Entry<K, V> entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        Counts owner = counts(key);
        total.hits++;
        owner.hits++;
        boolean verify = options.verifyEvery() > 0 && total.hits % options.verifyEvery() == 0;
        if (verify) {
            total.verified++;
            owner.verified++;
        } else {
            total.savedNanos += entry.nanos;
            owner.savedNanos += entry.nanos;
            total.hitBytes += entry.valueBytes;
            owner.hitBytes += entry.valueBytes;
        }
        entry.uses++;
        place(entry);
        return new Claim<>(entry.value, entry.nanos, verify, null);
    }

    /**
     * Ends a claim with the computed value, or with empty if there is none.
     *
     * @return whether the value was cached
     */
    public boolean finish(K key, Optional<V> value, long nanos) {
        CompletableFuture<Optional<V>> computation;
        boolean isKept;
        synchronized (this) {
            computation = computations.remove(key);
            isKept = value.isPresent() && put(key, value.get(), nanos, false);
        }
        if (computation != null) {
            computation.complete(value);
        }
        return isKept;
    }

    /** Removes a value that differs from the computed one. */
    public synchronized void mismatch(K key) {
        total.mismatches++;
        counts(key).mismatches++;
        remove(key);
        if (forgotten.size() < MAX_FORGOTTEN) {
            forgotten.add(key);
        }
    }

    /** Counts a value whose computation was given up because the value is too large. */
    public synchronized void oversized(K key) {
        total.oversized++;
        counts(key).oversized++;
    }

    /**
     * Caches a value without a claim.
     *
     * @return whether it was cached
     */
    public synchronized boolean put(K key, V value, long nanos) {
        return put(key, value, nanos, false);
    }

    /**
     * Caches a value that an earlier process computed, at a start, while other callers compute and
     * read. It is refused if the value was computed since the start, is being computed, or was
     * removed by {@link #mismatch}. It replaces a value restored earlier, because values are
     * restored in the order of age, the oldest first.
     *
     * @return whether it was cached
     */
    public synchronized boolean restore(K key, V value, long nanos) {
        Entry<K, V> present = entries.get(key);
        boolean isStale =
                (present != null && !present.restored)
                        || computations.containsKey(key)
                        || forgotten.contains(key)
                        || forgotten.size() == MAX_FORGOTTEN;
        return !isStale && put(key, value, nanos, true);
    }

    private synchronized boolean put(K key, V value, long nanos, boolean restored) {
        long bytes = valueBytes.applyAsLong(value);
        Entry<K, V> entry =
                new Entry<>(
                        key,
                        value,
                        bytes,
                        bytes + keyBytes.applyAsLong(key) + ENTRY_BYTES,
                        Math.max(1, nanos),
                        numbers++,
                        restored);
        if (bytes > options.maxEntryBytes() || entry.sizeBytes > options.maxBytes()) {
            oversized(key);
            return false;
        }
        remove(key);
        entries.put(key, entry);
        count(entry, 1);
        place(entry);
        while (total.sizeBytes > options.maxBytes()) {
            Entry<K, V> least = byPlace.first();
            floor = least.place;
            total.spaceEvictions++;
            counts(least.key).spaceEvictions++;
            remove(least.key);
        }
        return entries.containsKey(key);
    }

    /** The largest size of a value that is cached. */
    public int maxEntryBytes() {
        return options.maxEntryBytes();
    }

    public long maxBytes() {
        return options.maxBytes();
    }

    public synchronized BenefitStatistics statistics() {
        return total.statistics();
    }

    /**
     * The statistics of each owner that was used; empty for owners without statistics of their own.
     */
    public synchronized Map<String, BenefitStatistics> ownerStatistics() {
        Map<String, BenefitStatistics> statistics = new TreeMap<>();
        counts.forEach((owner, counted) -> statistics.put(owner, counted.statistics()));
        return statistics;
    }

    private Counts counts(K key) {
        String owner = owners.apply(key);
        Counts known = counts.get(owner);
        if (known != null) {
            return known;
        }
        return counts.computeIfAbsent(
                counts.size() < MAX_OWNERS ? owner : OTHERS, _ -> new Counts());
    }

    private void place(Entry<K, V> entry) {
        byPlace.remove(entry);
        entry.place = floor + (double) entry.uses * entry.nanos / entry.sizeBytes;
        byPlace.add(entry);
    }

    private void remove(K key) {
        Entry<K, V> entry = entries.remove(key);
        if (entry != null) {
            byPlace.remove(entry);
            count(entry, -1);
        }
    }

    private void count(Entry<K, V> entry, int sign) {
        Counts owner = counts(entry.key);
        total.entries += sign;
        owner.entries += sign;
        total.sizeBytes += sign * entry.sizeBytes;
        owner.sizeBytes += sign * entry.sizeBytes;
    }
}
