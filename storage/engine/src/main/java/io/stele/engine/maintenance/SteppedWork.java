package io.stele.engine.maintenance;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Work in steps on an executor, each behind what waits there by then. Confined to one thread at a
 * time.
 *
 * <p>Invariant: it is ended once, before its future completes: behind the last step, behind one
 * that failed, and where the executor takes no more.
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
         * Does a part; may block.
         *
         * @return whether there is more
         */
        boolean step() throws IOException;

        /** Releases its resources; may block only if a step has begun. */
        default void end() throws IOException {}
    }

    /** Completes when all is done and ended, or fails as the first that failed. */
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
