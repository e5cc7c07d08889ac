package io.stele.engine.maintenance;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A runner of long work in steps on an executor, which queues each step anew so that other tasks
 * run in between. Confined to one thread at a time.
 *
 * <p>Invariant: the work is ended exactly once, before its future completes: after the last step,
 * after a failed step, or when the executor refuses a step.
 */
final class SteppedWork {
    private final Executor executor;
    private final Steps steps;
    private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

    private SteppedWork(Executor executor, Steps steps) {
        this.executor = requireNonNull(executor, "executor is null");
        this.steps = requireNonNull(steps, "steps is null");
    }

    /** The steps of the work. */
    @FunctionalInterface
    interface Steps {
        /**
         * Runs a part of the work; may block.
         *
         * @return whether there is more
         */
        boolean step() throws IOException;

        /** Releases its resources; may block only if a step has begun. */
        default void end() throws IOException {}
    }

    /**
     * Runs the steps; completes when the work is done and ended, or fails with the first failure.
     */
    static CompletableFuture<@Nullable Void> run(Executor executor, Steps steps) {
        SteppedWork work = new SteppedWork(executor, steps);
        work.next();
        return work.done;
    }

    private void next() {
        try {
            executor.execute(this::step);
        } catch (RuntimeException | Error refused) {
            end(refused);
        }
    }

    private void step() {
        boolean more;
        try {
            more = steps.step();
        } catch (IOException | RuntimeException | Error failed) {
            end(failed);
            return;
        }
        if (more) {
            next();
        } else {
            end(null);
        }
    }

    private void end(@Nullable Throwable failed) {
        Throwable failure = failed;
        try {
            steps.end();
        } catch (IOException | RuntimeException | Error notEnded) {
            if (failure == null) {
                failure = notEnded;
            } else if (failure != notEnded) {
                failure.addSuppressed(notEnded);
            }
        }
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }
}
