package io.stele.paimon.lease;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.airlift.log.Logger;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A cache of values that other clients change at any time. Checks in the background renew the
 * entries in use, so that queries that accept bounded staleness send no request and wait for none.
 *
 * <p>Invariant: a value that {@link #find} returns was current at a moment not longer ago than the
 * staleness asked for; the age counts from the start of the check that found it. Invariant: a
 * failed check prolongs nothing. Invariant: a query that has to wait joins a running check if its
 * result is fresh enough. Invariant: no lock is held during a check.
 *
 * <p>An entry has no thread: the end of a check sets the timer for the next one, which runs on the
 * executor. An entry that no query used for a while sets no timer and is dropped.
 *
 * <p>Thread-safe.
 *
 * @param <K> the key of a value
 * @param <S> what a check needs beside the key, of which the last query's counts
 * @param <V> the value
 */
public final class Leases<K, S, V> implements AutoCloseable {
    private static final Logger log = Logger.get(Leases.class);

    /** The estimate of a check's duration rises at once, and falls by an eighth a check. */
    private static final int DURATION_DECAY = 8;

    /** A request for the current value, which blocks. */
    @FunctionalInterface
    public interface Check<S, V> {
        /**
         * @param before the value that the last check found; null: none did
         */
        V check(S subject, @Nullable V before) throws IOException;
    }

    /**
     * @param startNanos when the check began that found the value
     * @param generation of the entry when that check began
     */
    private record Checked<V>(V value, long startNanos, long generation) {}

    private record Running<V>(long startNanos, long generation, CompletableFuture<V> result) {
        Running {
            requireNonNull(result, "result is null");
        }
    }

    private static final class Entry<S, V> {
        private final AtomicReference<@Nullable Checked<V>> checked = new AtomicReference<>();
        private final AtomicReference<@Nullable Running<V>> running = new AtomicReference<>();
        // Values of earlier generations are obsolete.
        private final AtomicLong generation = new AtomicLong();
        private final AtomicBoolean hasTimer = new AtomicBoolean();
        private volatile S subject;
        private volatile long usedNanos;
        private volatile long lastStartNanos;
        private volatile long durationNanos;

        private Entry(S subject, long now) {
            this.subject = subject;
            this.usedNanos = now;
            this.lastStartNanos = now;
        }
    }

    private final LeaseOptions options;
    private final Check<S, V> check;
    private final Predicate<V> isKept;
    private final DelayedTasks timer;
    private final Executor executor;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<K, Entry<S, V>> entries = new ConcurrentHashMap<>();
    private final LongAdder waits = new LongAdder();
    private final LongAdder checks = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private volatile boolean isClosed;

    /**
     * @param isKept whether a value is cached; the entry of another value is dropped
     * @param executor runs checks, which block
     */
    public Leases(
            LeaseOptions options,
            Check<S, V> check,
            Predicate<V> isKept,
            DelayedTasks timer,
            Executor executor,
            LongSupplier nanoTime) {
        this.options = requireNonNull(options, "options is null");
        this.check = requireNonNull(check, "check is null");
        this.isKept = requireNonNull(isKept, "isKept is null");
        this.timer = requireNonNull(timer, "timer is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /** Ends the checks in the background. Queries then check themselves. */
    @Override
    public void close() {
        isClosed = true;
    }

    /**
     * The value of a key as it was not longer ago than {@code maxStaleness}.
     *
     * @param maxStaleness zero: as it is now, by a check of its own
     */
    public V find(K key, S subject, Duration maxStaleness) throws IOException {
        checkArgument(!maxStaleness.isNegative(), "maxStaleness must be >= 0: %s", maxStaleness);
        long now = nanoTime.getAsLong();
        Entry<S, V> entry = entry(key, subject, now);
        Checked<V> fresh = fresh(entry, now, maxStaleness);
        if (fresh != null) {
            return fresh.value();
        }
        waits.increment();
        while (true) {
            Running<V> present = entry.running.get();
            Checked<V> meanwhile = fresh(entry, now, maxStaleness);
            if (meanwhile != null) {
                return meanwhile.value();
            }
            if (present != null
                    && present.generation() == entry.generation.get()
                    && isWithin(present.startNanos(), now, maxStaleness)) {
                return await(present.result());
            }
            Running<V> mine = begin(entry, now);
            if (entry.running.compareAndSet(present, mine)) {
                return run(key, entry, mine);
            }
        }
    }

    /** Whether a query of now would find a value without a wait. */
    boolean isFresh(K key, Duration maxStaleness) {
        Entry<S, V> entry = entries.get(key);
        return entry != null && fresh(entry, nanoTime.getAsLong(), maxStaleness) != null;
    }

    private static <S, V> @Nullable Checked<V> fresh(
            Entry<S, V> entry, long now, Duration maxStaleness) {
        Checked<V> checked = entry.checked.get();
        return checked != null
                        && checked.generation() == entry.generation.get()
                        && isWithin(checked.startNanos(), now, maxStaleness)
                ? checked
                : null;
    }

    private static boolean isWithin(long startNanos, long now, Duration maxStaleness) {
        return !maxStaleness.isZero() && now - startNanos <= maxStaleness.toNanos();
    }

    /**
     * Makes the value of a key obsolete, since this node has changed it. Later queries get the
     * result of a check that begins now or later.
     */
    public void expire(K key) {
        Entry<S, V> entry = entries.get(key);
        if (entry != null) {
            entry.generation.incrementAndGet();
        }
    }

    /** Drops the entries of the keys, so that later queries check again. */
    public void forget(Predicate<K> keys) {
        entries.keySet().removeIf(keys);
    }

    /** The number of queries that waited for a check, of their own or another one's. */
    public long waitCount() {
        return waits.sum();
    }

    /** The number of checks, also those in the background. */
    public long checkCount() {
        return checks.sum();
    }

    /** The number of checks that failed. */
    public long failureCount() {
        return failures.sum();
    }

    /** The number of values that are held. */
    int entryCount() {
        return entries.size();
    }

    private Entry<S, V> entry(K key, S subject, long now) {
        Entry<S, V> entry = entries.computeIfAbsent(key, absent -> new Entry<>(subject, now));
        entry.subject = subject;
        entry.usedNanos = now;
        if (entries.size() > options.maxEntries()) {
            entries.entrySet().stream()
                    .filter(other -> other.getValue() != entry)
                    .max(Comparator.comparingLong(other -> now - other.getValue().usedNanos))
                    .ifPresent(oldest -> entries.remove(oldest.getKey(), oldest.getValue()));
        }
        return entry;
    }

    private static <S, V> Running<V> begin(Entry<S, V> entry, long startNanos) {
        return new Running<>(startNanos, entry.generation.get(), new CompletableFuture<>());
    }

    private V run(K key, Entry<S, V> entry, Running<V> mine) throws IOException {
        checks.increment();
        entry.lastStartNanos = mine.startNanos();
        try {
            Checked<V> before = entry.checked.get();
            V value = check.check(entry.subject, before == null ? null : before.value());
            if (isKept.test(value)) {
                publish(entry, new Checked<>(value, mine.startNanos(), mine.generation()));
            } else {
                entries.remove(key, entry);
            }
            mine.result().complete(value);
            return value;
        } catch (Throwable failure) {
            failures.increment();
            mine.result().completeExceptionally(failure);
            throw failure;
        } finally {
            long took = nanoTime.getAsLong() - mine.startNanos();
            long decayed = entry.durationNanos - entry.durationNanos / DURATION_DECAY;
            entry.durationNanos = Math.max(took, decayed);
            entry.running.compareAndSet(mine, null);
            setTimer(key, entry);
        }
    }

    /**
     * Stores the result of a check, unless a check that began later has stored its result already.
     */
    private static <S, V> void publish(Entry<S, V> entry, Checked<V> checked) {
        entry.checked.accumulateAndGet(
                checked,
                (present, mine) -> present != null && isNewer(present, mine) ? present : mine);
    }

    private static <V> boolean isNewer(Checked<V> one, Checked<V> other) {
        return one.generation() == other.generation()
                ? one.startNanos() - other.startNanos() > 0
                : one.generation() > other.generation();
    }

    private void setTimer(K key, Entry<S, V> entry) {
        if (isClosed || entries.get(key) != entry || !entry.hasTimer.compareAndSet(false, true)) {
            return;
        }
        try {
            timer.schedule(
                    () -> {
                        entry.hasTimer.set(false);
                        checkIfDue(key, entry);
                    },
                    Math.max(0, untilDue(entry)));
        } catch (RejectedExecutionException e) {
            entry.hasTimer.set(false);
            log.debug(e, "No timer for the checks of %s", key);
        }
    }

    private long untilDue(Entry<S, V> entry) {
        return entry.lastStartNanos
                + options.periodNanos(entry.durationNanos)
                - nanoTime.getAsLong();
    }

    /** Begins a check of an entry in use; the end of a running check sets the timer again. */
    private void checkIfDue(K key, Entry<S, V> entry) {
        long now = nanoTime.getAsLong();
        if (isClosed || entries.get(key) != entry) {
            return;
        }
        if (now - entry.usedNanos > options.idleAfter().toNanos()) {
            entries.remove(key, entry);
            return;
        }
        if (untilDue(entry) > 0) { // a query has checked since
            setTimer(key, entry);
            return;
        }
        Running<V> mine = begin(entry, now);
        if (!entry.running.compareAndSet(null, mine)) {
            return;
        }
        try {
            executor.execute(() -> runInBackground(key, entry, mine));
        } catch (RejectedExecutionException e) {
            entry.running.compareAndSet(mine, null);
            mine.result().completeExceptionally(e);
            log.debug(e, "No thread to check %s", key);
        }
    }

    private void runInBackground(K key, Entry<S, V> entry, Running<V> mine) {
        try {
            run(key, entry, mine);
        } catch (IOException | RuntimeException e) {
            // The query that finds the value too old gets the failure
            log.debug(e, "A check of %s failed", key);
        }
    }

    private static <V> V await(CompletableFuture<V> result) throws IOException {
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = requireNonNull(e.getCause(), "cause is null");
            Throwables.throwIfInstanceOf(cause, IOException.class);
            Throwables.throwIfUnchecked(cause);
            throw new IOException("a check failed", cause);
        }
    }
}
