package io.stele.scheduler;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of tasks of an execution context: plain ones, tasks with a result, and work units that
 * run in steps.
 */
final class Tasks {
    private Tasks() {}

    static final class Plain extends TaskQueue.Task {
        private final Runnable task;

        Plain(Runnable task) {
            this.task = task;
        }

        @Override
        boolean run(YieldSignal signal) {
            task.run();
            return true;
        }
    }

    static final class WithResult<T extends @Nullable Object> extends TaskQueue.Task {
        private final Callable<T> task;
        private final String contextName;
        final CompletableFuture<T> result = new CompletableFuture<>();

        WithResult(Callable<T> task, String contextName) {
            this.task = task;
            this.contextName = contextName;
        }

        @Override
        boolean run(YieldSignal signal) {
            T value;
            try {
                value = task.call();
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
                return true;
            }
            result.complete(value);
            return true;
        }

        @Override
        void cancelled() {
            result.completeExceptionally(
                    new CancellationException(
                            "Execution context " + contextName + " is cancelled or joined"));
        }
    }

    static final class Stepwise extends TaskQueue.Task {
        private final WorkUnit unit;

        Stepwise(WorkUnit unit) {
            this.unit = unit;
        }

        @Override
        boolean run(YieldSignal signal) {
            return unit.step(signal);
        }

        @Override
        void cancelled() {
            unit.cancelled();
        }
    }
}
