package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The garbage collector of transaction decisions and {@linkplain SavedOutcomes saved outcomes} in
 * the object store, while the engine runs. It deletes an object six hours after only a client that
 * repeats its commit may still need it. Objects of this engine are reported to it. Objects of
 * earlier engines are listed once, after the same time.
 *
 * <p>Invariant: a decision is deleted only if no start can read it any more. One of this engine is
 * deleted after its outcomes are durable in the logs of all participants and its table is public.
 * One of an earlier engine is deleted after the outcomes that this engine's start found are
 * durable. One of a later engine is never deleted.
 *
 * <p>Bounded: both the number of concurrent deletions and the number of recorded decisions have a
 * limit. Decisions beyond this limit are deleted by the next engine. Guarded by its own lock;
 * blocking steps run on the executor.
 */
public final class DecisionCollector {
    /**
     * Trino requests the outcome of a commit for hours ({@code stele.change-timeout}), and
     * operators request it after they read of the commit. The time does not advance while a node is
     * down.
     */
    public static final long KEPT_MILLIS = Duration.ofHours(6).toMillis();

    private static final int MAX_REMEMBERED = 250_000; // 11 a second, some 25 MB
    private static final int PARALLEL = 3; // of the executor's threads
    private static final int DELETED_AT_A_TIME = 32; // about a second, then other work runs

    private final Decisions decisions;
    private final Executor executor;
    private final LongSupplier nowMillis;
    private final Consumer<Throwable> uncaught;
    private final BooleanSupplier resolved;
    private final long epoch;
    private final long startMillis;
    private final Deque<Settled> settled = new ArrayDeque<>();
    private final Deque<String> due = new ArrayDeque<>();
    private boolean listed;
    private boolean failing;
    private int running;

    private record Settled(String path, long sinceMillis) {}

    /**
     * @param resolved whether the outcomes that the start found are durable
     */
    public DecisionCollector(
            Decisions decisions,
            Executor executor,
            LongSupplier nowMillis,
            Consumer<Throwable> uncaught,
            BooleanSupplier resolved,
            long epoch) {
        this.decisions = requireNonNull(decisions, "decisions is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        this.resolved = requireNonNull(resolved, "resolved is null");
        this.epoch = epoch;
        this.startMillis = nowMillis.getAsLong();
    }

    /** Notes a committed transaction: it is durable in all its shards, and its table is public. */
    void settled(String transactionId) {
        saved(Decision.path(transactionId));
    }

    /** Notes an object of saved outcomes that is about to be written. */
    public synchronized void saved(String path) {
        if (settled.size() == MAX_REMEMBERED) {
            settled.removeFirst(); // the next engine lists it
        }
        settled.add(new Settled(path, nowMillis.getAsLong()));
    }

    /** Starts deletions of objects that are old enough now. */
    public void tick() {
        List<Runnable> tasks = new ArrayList<>();
        synchronized (this) {
            long limit = nowMillis.getAsLong() - KEPT_MILLIS;
            while (!settled.isEmpty() && settled.peek().sinceMillis() <= limit) {
                due.add(settled.remove().path());
            }
            if (!listed && running == 0 && startMillis <= limit && resolved.getAsBoolean()) {
                running++;
                tasks.add(this::list);
            }
            int wanted = (due.size() + DELETED_AT_A_TIME - 1) / DELETED_AT_A_TIME;
            while (running < PARALLEL && wanted-- > 0) {
                running++;
                tasks.add(this::delete);
            }
        }
        for (Runnable task : tasks) {
            try {
                executor.execute(task);
            } catch (RejectedExecutionException full) {
                rejected();
            }
        }
    }

    /** The next tick tries again. */
    private synchronized void rejected() {
        running--;
    }

    private void list() {
        List<String> found = List.of();
        @Nullable Throwable failed = null;
        try {
            found = decisions.before(epoch);
        } catch (IOException | RuntimeException | Error e) {
            failed = e;
        }
        synchronized (this) {
            listed = failed == null;
        }
        ended(found, failed);
    }

    private void delete() {
        Deque<String> left = new ArrayDeque<>();
        synchronized (this) {
            while (!due.isEmpty() && left.size() < DELETED_AT_A_TIME) {
                left.add(due.remove());
            }
        }
        @Nullable Throwable failed = null;
        try {
            while (!left.isEmpty()) {
                decisions.forget(left.element());
                left.remove();
            }
        } catch (IOException | RuntimeException | Error e) {
            failed = e;
        }
        ended(left, failed);
    }

    /** Reports the first failure until a deletion succeeds; the next tick continues. */
    private void ended(Iterable<String> left, @Nullable Throwable failed) {
        boolean reported;
        synchronized (this) {
            running--;
            left.forEach(due::add);
            reported = failing;
            failing = failed != null;
        }
        if (failed != null && !reported) {
            uncaught.accept(failed);
        }
    }
}
