package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.BackgroundTasks;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A repeater of asynchronous steps that must succeed, such as decisions of commits: each is tried
 * again after a pause that doubles. Only the first failure of a step is reported.
 *
 * <p>Invariant: a returned future completes when its step succeeds, when its step fails so that
 * trying again does not help, or when this is closed. Guarded by itself; steps run outside of its
 * lock.
 */
public final class Retries implements AutoCloseable {
    private static final long FIRST_PAUSE_MILLIS = 100; // a store that hiccups is back at once
    private static final long LONGEST_PAUSE_MILLIS = 5_000; // other callers wait for this, too

    // The engine's clock may stand still for as long as the machine's was set back
    private static final int MOST_TICKS = 20;

    private final LongSupplier nowMillis;
    private final Consumer<Throwable> uncaught;
    private final List<Attempt<?>> waiting = new ArrayList<>();
    private boolean closed;

    /**
     * @param uncaught called with the first failure of each step
     */
    public Retries(LongSupplier nowMillis, Consumer<Throwable> uncaught) {
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
    }

    /**
     * Repeats a blocking step on an executor until it succeeds, or fails with CORRUPT_DATA.
     *
     * @param what the step does, for messages
     */
    public <T> CompletableFuture<T> untilDone(String what, Executor executor, Callable<T> step) {
        return untilDone(what, () -> BackgroundTasks.submit(executor, step));
    }

    /** Repeats a step until it succeeds, or fails with CORRUPT_DATA; completes as the step does. */
    <T> CompletableFuture<T> untilDone(String what, Supplier<CompletableFuture<T>> step) {
        return untilDone(
                what,
                step,
                failure ->
                        !(failure instanceof SteleException known
                                && known.code() == ErrorCode.CORRUPT_DATA));
    }

    /**
     * Repeats a step until it succeeds, or fails so that it must not be repeated.
     *
     * @param mayPass whether the step can succeed after a failure; with any other failure the
     *     future fails
     */
    <T> CompletableFuture<T> untilDone(
            String what, Supplier<CompletableFuture<T>> step, Predicate<Throwable> mayPass) {
        Attempt<T> attempt = new Attempt<>(what, step, mayPass, new CompletableFuture<>());
        attempt.run();
        return attempt.done;
    }

    /** Repeats the steps that are due. */
    public void tick() {
        long now = nowMillis.getAsLong();
        List<Attempt<?>> due = new ArrayList<>();
        synchronized (this) {
            waiting.removeIf(
                    attempt ->
                            (attempt.dueMillis <= now || ++attempt.ticks >= MOST_TICKS)
                                    && due.add(attempt));
        }
        due.forEach(Attempt::run);
    }

    /** Ends all repetitions: waiting steps fail with UNAVAILABLE. */
    @Override
    public void close() {
        List<Attempt<?>> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(waiting);
            waiting.clear();
        }
        left.forEach(Attempt::giveUp);
    }

    private final class Attempt<T> {
        private final String what;
        private final Supplier<CompletableFuture<T>> step;
        private final Predicate<Throwable> mayPass;
        private final CompletableFuture<T> done;
        private int failures;
        private long dueMillis;
        private int ticks;

        private Attempt(
                String what,
                Supplier<CompletableFuture<T>> step,
                Predicate<Throwable> mayPass,
                CompletableFuture<T> done) {
            this.what = what;
            this.step = step;
            this.mayPass = mayPass;
            this.done = done;
        }

        private void run() {
            CompletableFuture<T> tried;
            try {
                tried = step.get();
            } catch (RuntimeException | Error failed) {
                tried = CompletableFuture.failedFuture(failed);
            }
            tried.whenComplete(
                    (value, failed) -> {
                        if (failed == null) {
                            done.complete(value);
                        } else {
                            failed(Coordinator.unwrap(failed));
                        }
                    });
        }

        private void failed(Throwable cause) {
            if (!mayPass.test(cause)) {
                done.completeExceptionally(cause);
                return;
            }
            if (failures == 0) {
                uncaught.accept(
                        new SteleException(
                                ErrorCode.STORE_FAILED,
                                "Cannot %s yet, and go on trying: %s".formatted(what, cause),
                                cause));
            }
            synchronized (Retries.this) {
                dueMillis =
                        nowMillis.getAsLong()
                                + Math.min(
                                        LONGEST_PAUSE_MILLIS,
                                        FIRST_PAUSE_MILLIS << Math.min(failures, 16));
                failures++;
                ticks = 0;
                if (!closed) {
                    waiting.add(this);
                    return;
                }
            }
            giveUp();
        }

        private void giveUp() {
            done.completeExceptionally(
                    new SteleException(
                            ErrorCode.UNAVAILABLE,
                            "Could not %s before the engine was closed".formatted(what)));
        }
    }
}
