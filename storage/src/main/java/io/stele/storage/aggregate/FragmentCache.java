package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Results of fragments: what an aggregation came to in one immutable file. A result that several
 * queries miss at once is computed by the first of them.
 *
 * <p>Which result makes room is decided by what it saves: its place is the nanoseconds that it took
 * to compute, times the times it was found, for each byte, above the place of the last one that had
 * to go (GreedyDual-Size-Frequency, Cherkasova 1998). So what is cheap for its size goes first, and
 * what was dear once does not stay for ever.
 *
 * <p>Invariant: the sum of the entries' bytes is at most {@code maxBytes}. Thread-safe: guarded by
 * its own lock, under which nothing waits.
 */
public final class FragmentCache {
    /** Map, set, key and record of an entry, about. */
    private static final int ENTRY_BYTES = 400;

    private final FragmentCacheOptions options;
    private final LongSupplier nanoTime;
    private final Consumer<String> mismatch;
    private final Map<FragmentKey, Entry> entries = new HashMap<>();
    private final TreeSet<Entry> byPlace =
            new TreeSet<>(
                    Comparator.comparingDouble((Entry entry) -> entry.place)
                            .thenComparingLong(entry -> entry.number));
    private final Map<FragmentKey, CompletableFuture<Optional<byte[]>>> flights = new HashMap<>();
    private @Nullable FragmentLog log;
    private long sizeBytes;
    private double floor; // the place of the entry that made room last
    private long numbers;
    private long hits;
    private long misses;
    private long followed;
    private long savedNanos;
    private long spaceEvictions;
    private long oversized;
    private long verified;
    private long mismatches;

    /** A result that is kept; changed under the cache's lock only. */
    private static final class Entry {
        private final FragmentKey key;
        private final byte[] state;
        private final long nanos;
        private final long number;
        private long uses = 1;
        private double place;

        private Entry(FragmentKey key, byte[] state, long nanos, long number) {
            this.key = key;
            this.state = state;
            this.nanos = nanos;
            this.number = number;
        }

        private long sizeBytes() {
            return (long) state.length + ENTRY_BYTES + key.path().length();
        }
    }

    /**
     * @param nanoTime measures what results cost
     * @param mismatch told of results that were not what they should have been
     */
    public FragmentCache(
            FragmentCacheOptions options, LongSupplier nanoTime, Consumer<String> mismatch) {
        this.options = requireNonNull(options, "options is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.mismatch = requireNonNull(mismatch, "mismatch is null");
    }

    /**
     * The result of a key, or the task to compute it, or what to wait for: whoever is given neither
     * a state nor a flight must {@link #finish}.
     */
    synchronized Claim claim(FragmentKey key) {
        Entry entry = entries.get(key);
        if (entry != null) {
            hits++;
            boolean verify = options.verifyEvery() > 0 && hits % options.verifyEvery() == 0;
            if (verify) {
                verified++;
            } else {
                savedNanos += entry.nanos;
            }
            entry.uses++;
            place(entry);
            return new Claim(entry.state, verify, null);
        }
        CompletableFuture<Optional<byte[]>> flight = flights.get(key);
        if (flight != null) {
            followed++;
            return new Claim(null, false, flight);
        }
        misses++;
        flights.put(key, new CompletableFuture<>());
        return new Claim(null, false, null);
    }

    /**
     * What a claim came to.
     *
     * @param state the result; null: to be computed
     * @param verify whether to compute it all the same, and to compare
     * @param flight completes when another query has computed it, or empty when it has not
     */
    record Claim(
            byte @Nullable [] state,
            boolean verify,
            @Nullable CompletableFuture<Optional<byte[]>> flight) {}

    /** Ends a claim whose result was computed, or given up (empty). */
    void finish(FragmentKey key, Optional<byte[]> state, long nanos) {
        CompletableFuture<Optional<byte[]>> flight;
        FragmentLog target;
        synchronized (this) {
            flight = flights.remove(key);
            boolean isKept = state.isPresent() && put(key, state.get(), nanos);
            target = isKept ? log : null;
        }
        if (target != null) {
            target.append(key, state.orElseThrow(), nanos);
        }
        if (flight != null) {
            flight.complete(state);
        }
    }

    /** Compares a result that was found with what it is. */
    void verify(FragmentKey key, byte[] found, byte[] computed) {
        if (Arrays.equals(found, computed)) {
            return;
        }
        synchronized (this) {
            mismatches++;
            remove(key);
        }
        mismatch.accept(
                "Expected fragment result of %s bytes, found %s other bytes in the cache for %s with %s rows deleted, fragment %s"
                        .formatted(
                                computed.length,
                                found.length,
                                key.path(),
                                key.deletedCount(),
                                key.fragment()));
    }

    /** Adds a result of before a restart. */
    public synchronized void restore(FragmentKey key, byte[] state, long nanos) {
        put(key, state, nanos);
    }

    /** Has results written to a log from now on. */
    public synchronized void keepIn(FragmentLog newLog) {
        log = newLog;
    }

    /** Largest result that is kept. */
    int maxEntryBytes() {
        return options.maxEntryBytes();
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    public synchronized FragmentStatistics statistics() {
        return new FragmentStatistics(
                hits,
                misses,
                followed,
                savedNanos,
                spaceEvictions,
                oversized,
                verified,
                mismatches,
                entries.size(),
                sizeBytes,
                options.maxBytes());
    }

    /** Whether it was kept. */
    private boolean put(FragmentKey key, byte[] state, long nanos) {
        Entry entry = new Entry(key, state, Math.max(1, nanos), numbers++);
        if (state.length > options.maxEntryBytes() || entry.sizeBytes() > options.maxBytes()) {
            oversized++;
            return false;
        }
        remove(key);
        sizeBytes += entry.sizeBytes();
        entries.put(key, entry);
        place(entry);
        while (sizeBytes > options.maxBytes()) {
            Entry least = byPlace.first();
            floor = least.place;
            spaceEvictions++;
            remove(least.key);
        }
        return entries.containsKey(key);
    }

    private void place(Entry entry) {
        byPlace.remove(entry);
        entry.place = floor + (double) entry.uses * entry.nanos / entry.sizeBytes();
        byPlace.add(entry);
    }

    private void remove(FragmentKey key) {
        Entry entry = entries.remove(key);
        if (entry != null) {
            byPlace.remove(entry);
            sizeBytes -= entry.sizeBytes();
        }
    }
}
