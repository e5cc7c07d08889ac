package io.stele.cache;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A weight-bounded memory cache of immutable data, such as file metadata and blocks, that loads
 * each value once, also under concurrent requests.
 *
 * <p>Invariant: while a key is being loaded, every caller that requests it waits for that one load.
 * Invariant: a failed load fails for all callers that waited for it and is not cached, so the next
 * caller tries again. Invariant: no thread is created: a load runs in the first requesting thread
 * (an asynchronous load, in the thread that completes its future), and an eviction in the thread
 * that caused it.
 *
 * <p>Thread-safe.
 */
public final class SingleFlightCache<K, V> {
    /**
     * The loader of a value: may do I/O, and is called by at most one thread at a time for one key.
     */
    @FunctionalInterface
    public interface Loader<V, E extends Exception> {
        V load() throws E;
    }

    private final String name;
    private final Cache<K, V> entries;
    private final ConcurrentMap<K, CompletableFuture<V>> loading = new ConcurrentHashMap<>();
    private final long maxWeightBytes;
    private final ToLongFunction<? super V> weightBytes;
    private final @Nullable LongSupplier nanoTime; // null: loads are not timed
    private final LoadTimes loadTimes = new LoadTimes();
    private final LongAdder hits = new LongAdder();
    private final LongAdder hitBytes = new LongAdder();
    private final LongAdder waited = new LongAdder(); // of the hits
    private final LongAdder misses = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final RemovalCounts removals = new RemovalCounts();

    /**
     * A cache whose loads are not timed.
     *
     * @param weightBytes the memory of a value, which must be cheap to compute; more than 2 GiB
     *     counts as 2 GiB
     */
    public SingleFlightCache(
            String name, long maxWeightBytes, ToLongFunction<? super V> weightBytes) {
        this(name, maxWeightBytes, weightBytes, value -> {}, null);
    }

    /**
     * @param weightBytes the memory of a value, which must be cheap to compute; more than 2 GiB
     *     counts as 2 GiB
     * @param nanoTime the clock that measures loads
     */
    public SingleFlightCache(
            String name,
            long maxWeightBytes,
            ToLongFunction<? super V> weightBytes,
            LongSupplier nanoTime) {
        this(name, maxWeightBytes, weightBytes, value -> {}, nanoTime);
    }

    /**
     * @param weightBytes the memory of a value, which must be cheap to compute; more than 2 GiB
     *     counts as 2 GiB
     * @param removed called with each value that is removed for any reason, in the thread that
     *     caused the removal; must not call the cache
     * @param nanoTime the clock that measures loads; null: loads are not timed
     */
    public SingleFlightCache(
            String name,
            long maxWeightBytes,
            ToLongFunction<? super V> weightBytes,
            Consumer<? super V> removed,
            @Nullable LongSupplier nanoTime) {
        requireNonNull(removed, "removed is null");
        this.name = requireNonNull(name, "name is null");
        this.weightBytes = requireNonNull(weightBytes, "weightBytes is null");
        this.nanoTime = nanoTime;
        if (maxWeightBytes < 0) {
            throw new IllegalArgumentException("maxWeightBytes must be >= 0: " + maxWeightBytes);
        }
        this.maxWeightBytes = maxWeightBytes;
        this.entries =
                Caffeine.newBuilder()
                        .maximumWeight(maxWeightBytes)
                        .<K, V>weigher(
                                (key, value) -> clampedWeight(weightBytes.applyAsLong(value)))
                        .executor(Runnable::run)
                        .<K, V>removalListener(
                                (key, value, cause) -> {
                                    removals.count(cause);
                                    if (value != null) { // true: held strongly
                                        removed.accept(value);
                                    }
                                })
                        .build();
    }

    public String name() {
        return name;
    }

    /** The value of {@code key}, loaded in this thread if it is neither cached nor being loaded. */
    public <E extends Exception> V get(K key, Loader<? extends V, E> loader) throws E {
        V value = entries.getIfPresent(key);
        if (value != null) {
            return hit(value);
        }
        CompletableFuture<V> mine = new CompletableFuture<>();
        CompletableFuture<V> others = loading.putIfAbsent(key, mine);
        if (others != null) {
            hits.increment();
            waited.increment();
            return await(others);
        }
        try {
            value = loadUnlessPresent(key, loader);
        } catch (Throwable failure) {
            fail(key, mine, failure);
            throw failure;
        }
        succeed(key, mine, value);
        return value;
    }

    /** The value of {@code key}; {@code loader} starts the load and must not block. */
    public CompletableFuture<V> getAsync(K key, Function<? super K, CompletableFuture<V>> loader) {
        V value = entries.getIfPresent(key);
        if (value != null) {
            return CompletableFuture.completedFuture(hit(value));
        }
        CompletableFuture<V> mine = new CompletableFuture<>();
        CompletableFuture<V> others = loading.putIfAbsent(key, mine);
        if (others != null) {
            hits.increment();
            waited.increment();
            // A copy: its cancellation must not fail the load for other callers.
            return others.copy();
        }
        CompletableFuture<V> result = mine.copy();
        try {
            start(key, mine, loader);
        } catch (Throwable failure) {
            fail(key, mine, failure);
            throw failure;
        }
        return result;
    }

    /** The value if it is cached, which counts as a hit; never loads, never waits. */
    public Optional<V> find(K key) {
        Optional<V> present = peek(key);
        present.ifPresent(this::hit);
        return present;
    }

    /** The value if it is cached; never loads, never waits, counts nothing. */
    public Optional<V> peek(K key) {
        return Optional.ofNullable(entries.getIfPresent(key));
    }

    /** Whether the value is cached; does not count as a use. */
    public boolean has(K key) {
        return entries.asMap().containsKey(key);
    }

    /**
     * Counts uses of a value by a caller that held it without this cache, so that the cache does
     * not evict it as unused.
     */
    public void used(K key, long times) {
        V value = entries.getIfPresent(key);
        if (value != null) {
            long bytes = times * weightBytes.applyAsLong(value);
            hits.add(times);
            hitBytes.add(bytes);
            ReadAccount.fromMemory(bytes);
        }
    }

    /** Caches a value that its writer has in memory, so that the first reader need not load it. */
    public void put(K key, V value) {
        entries.put(key, requireNonNull(value, "value is null"));
    }

    /**
     * Caches a value that the caller computed after a miss; counts the miss.
     *
     * @param nanos the time that the computation took
     */
    public void putMissed(K key, V value, long nanos) {
        misses.increment();
        loadTimes.loaded(nanos);
        put(key, value);
    }

    public void remove(K key) {
        entries.invalidate(key);
    }

    /** Removes every key that matches: for example all blocks of a deleted file. */
    public void removeIf(Predicate<? super K> predicate) {
        entries.asMap().keySet().removeIf(predicate);
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
                failures.sum(),
                hitBytes.sum(),
                nanoTime == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(loadTimes.savedNanos(hits.sum() - waited.sum())),
                removals.space(),
                removals.replaced(),
                removals.invalidated(),
                entries.estimatedSize(),
                weight.orElse(0),
                maxWeightBytes);
    }

    private <E extends Exception> V loadUnlessPresent(K key, Loader<? extends V, E> loader)
            throws E {
        // Another load may have ended between the search in the cache and the claim of the key.
        V present = entries.getIfPresent(key);
        if (present != null) {
            return hit(present);
        }
        misses.increment();
        long start = now();
        V loaded = requireNonNull(loader.load(), "loader returned null");
        loadTimes.loaded(now() - start);
        return loaded;
    }

    private V hit(V value) {
        long bytes = weightBytes.applyAsLong(value);
        hits.increment();
        hitBytes.add(bytes);
        ReadAccount.fromMemory(bytes);
        return value;
    }

    private long now() {
        return nanoTime == null ? 0 : nanoTime.getAsLong();
    }

    private void start(
            K key, CompletableFuture<V> mine, Function<? super K, CompletableFuture<V>> loader) {
        V present = entries.getIfPresent(key);
        if (present != null) {
            succeed(key, mine, hit(present));
            return;
        }
        misses.increment();
        long start = now();
        loader.apply(key)
                .whenComplete(
                        (value, failure) -> {
                            if (failure == null) {
                                loadTimes.loaded(now() - start);
                                succeed(key, mine, value);
                            } else {
                                fail(key, mine, failure);
                            }
                        });
    }

    /**
     * First the value is cached, then the claim is removed, so that no second load can start in
     * between.
     */
    private void succeed(K key, CompletableFuture<V> mine, V value) {
        entries.put(key, value);
        loading.remove(key, mine);
        mine.complete(value);
    }

    private void fail(K key, CompletableFuture<V> mine, Throwable failure) {
        failures.increment();
        loading.remove(key, mine);
        mine.completeExceptionally(failure);
    }

    /**
     * Waits for the load of another caller. Throws the failure of the loader, with the waiting call
     * of this thread as a suppressed exception.
     */
    @SuppressWarnings("unchecked")
    private static <V, E extends Exception> V await(CompletableFuture<V> load) throws E {
        try {
            return load.join();
        } catch (CompletionException failure) {
            Throwable cause = failure;
            while (cause instanceof CompletionException && cause.getCause() != null) {
                cause = cause.getCause();
            }
            cause.addSuppressed(new WaitedForLoadException());
            if (cause instanceof Error error) {
                throw error;
            }
            throw (E) cause;
        }
    }

    private static int clampedWeight(long weightBytes) {
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, weightBytes));
    }

    /** The stack of one waiting thread, attached to a failure that many threads receive. */
    private static final class WaitedForLoadException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WaitedForLoadException() {
            super("this thread waited for a load that failed in another thread");
        }
    }
}
