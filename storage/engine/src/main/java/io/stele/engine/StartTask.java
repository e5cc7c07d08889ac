package io.stele.engine;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * Something that a start asks the store for while it asks for other things. Thread-safe.
 *
 * @param <T> what comes of it
 */
final class StartTask<T> {
    /** Waits for the store. */
    @FunctionalInterface
    interface Call<T> {
        T call() throws IOException;
    }

    private final CompletableFuture<T> result = new CompletableFuture<>();

    private StartTask() {}

    /**
     * Begins it; fails never.
     *
     * @param executor takes every task
     */
    static <T> StartTask<T> begin(Executor executor, Call<T> call) {
        StartTask<T> task = new StartTask<>();
        executor.execute(
                () -> {
                    try {
                        task.result.complete(call.call());
                    } catch (Throwable e) {
                        task.result.completeExceptionally(e); // an error, too: somebody waits
                    }
                });
        return task;
    }

    /**
     * Waits for all of them, whatever comes of each.
     *
     * @throws IOException or what else the first threw that failed
     */
    static <T> void all(List<StartTask<T>> tasks) throws IOException {
        tasks.forEach(task -> task.result.handle((done, failed) -> true).join());
        for (StartTask<T> task : tasks) {
            task.get();
        }
    }

    /**
     * What came of it; waits for that.
     *
     * @throws IOException or what else the call threw
     */
    T get() throws IOException {
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
