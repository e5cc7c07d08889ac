package io.stele.engine.node;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A submission of a step that may block on the store to an executor, with the step's result or
 * failure as a future.
 */
public final class BackgroundTasks {
    private BackgroundTasks() {}

    /**
     * Completes with the step's result, or fails with its exception; fails with BUSY if the
     * executor refuses the step.
     */
    public static <T extends @Nullable Object> CompletableFuture<T> submit(
            Executor executor, Callable<T> step) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            executor.execute(() -> run(step, result));
        } catch (RejectedExecutionException full) {
            result.completeExceptionally(
                    new SteleException(ErrorCode.BUSY, "Background work is behind", full));
        }
        return result;
    }

    private static <T extends @Nullable Object> void run(
            Callable<T> step, CompletableFuture<T> result) {
        T value;
        try {
            value = step.call();
        } catch (Throwable failed) {
            result.completeExceptionally(failed);
            return;
        }
        result.complete(value);
    }
}
