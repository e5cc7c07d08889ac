package io.stele.engine.recovery;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * A read of the store that a start runs in parallel with others. Thread-safe.
 *
 * @param <T> its result
 */
public final class StartTask<T> {
    /** A call that waits for the store. */
    @FunctionalInterface
    public interface Call<T> {
        T call() throws IOException;
    }

    private final CompletableFuture<T> result = new CompletableFuture<>();

    private StartTask() {}

    /**
     * Begins a call; never fails.
     *
     * @param executor accepts every task
     */
    public static <T> StartTask<T> begin(Executor executor, Call<T> call) {
        StartTask<T> task = new StartTask<>();
        executor.execute(
                () -> {
                    try {
                        task.result.complete(call.call());
                    } catch (Throwable e) {
                        task.result.completeExceptionally(e); // errors too, since a thread waits
                    }
                });
        return task;
    }

    /**
     * Waits for all tasks, also after failures.
     *
     * @throws IOException or another exception of the first one that failed
     */
    static <T> void all(List<StartTask<T>> tasks) throws IOException {
        tasks.forEach(task -> task.result.handle((done, failed) -> true).join());
        for (StartTask<T> task : tasks) {
            task.get();
        }
    }

    /**
     * The result of the call; waits for it.
     *
     * @throws IOException or another exception of the call
     */
    public T get() throws IOException {
        try {
            return result.join();
        } catch (CompletionException failed) {
            switch (failed.getCause()) {
                case IOException broken -> throw broken;
                case RuntimeException broken -> throw broken;
                case Error broken -> throw broken;
                case null, default -> throw failed;
            }
        }
    }
}
