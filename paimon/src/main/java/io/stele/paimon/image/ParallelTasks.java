package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A runner of one task on many inputs by a bounded number of threads, one of which is the waiting
 * caller's.
 *
 * <p>Invariant: it ends even if the executor runs nothing, since a caller that waits has taken all
 * inputs that no other thread took. Thread-safe.
 */
final class ParallelTasks {
    /** A task; may block. */
    @FunctionalInterface
    interface Task<T, R> {
        R run(T input) throws IOException;
    }

    private final Executor executor;
    private final int parallelism;

    ParallelTasks(Executor executor, int parallelism) {
        checkArgument(parallelism > 0, "parallelism must be > 0: %s", parallelism);
        this.executor = requireNonNull(executor, "executor is null");
        this.parallelism = parallelism;
    }

    /**
     * Returns the results in the order of the inputs, or throws the failure of the first input, in
     * this order, that failed.
     */
    <T, R> List<R> map(List<T> inputs, Task<? super T, ? extends R> task) throws IOException {
        List<CompletableFuture<R>> results = new ArrayList<>(inputs.size());
        for (int i = 0; i < inputs.size(); i++) {
            results.add(new CompletableFuture<>());
        }
        AtomicInteger next = new AtomicInteger();
        Runnable worker = () -> work(inputs, task, results, next);
        for (int i = 1; i < Math.min(parallelism, inputs.size()); i++) {
            try {
                executor.execute(worker);
            } catch (RejectedExecutionException e) {
                break; // the caller's thread does it
            }
        }
        worker.run();
        List<R> values = new ArrayList<>(inputs.size());
        for (CompletableFuture<R> result : results) {
            values.add(await(result));
        }
        return values;
    }

    private static <T, R> void work(
            List<T> inputs,
            Task<? super T, ? extends R> task,
            List<CompletableFuture<R>> results,
            AtomicInteger next) {
        for (int i = next.getAndIncrement(); i < inputs.size(); i = next.getAndIncrement()) {
            try {
                results.get(i).complete(task.run(inputs.get(i)));
            } catch (Throwable failure) {
                results.get(i).completeExceptionally(failure);
            }
        }
    }

    private static <R> R await(CompletableFuture<R> result) throws IOException {
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = requireNonNull(e.getCause(), "cause is null");
            if (cause instanceof UncheckedIOException unchecked) {
                cause = requireNonNull(unchecked.getCause(), "cause is null");
            }
            Throwables.throwIfInstanceOf(cause, IOException.class);
            Throwables.throwIfUnchecked(cause);
            throw new IOException("a task failed", cause);
        }
    }
}
