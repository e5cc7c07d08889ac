package io.stele.sidecar.flight.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Factory methods for blocking work on an executor, whose future completes on every path, also
 * after an IOException.
 */
final class Tasks {
    private Tasks() {}

    /** Work that may fail. */
    interface Task<T> {
        T run() throws IOException;
    }

    static <T> CompletableFuture<T> supply(Task<T> task, Executor executor) {
        return CompletableFuture.supplyAsync(() -> unchecked(task), executor);
    }

    static <T> T unchecked(Task<T> task) {
        try {
            return task.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
