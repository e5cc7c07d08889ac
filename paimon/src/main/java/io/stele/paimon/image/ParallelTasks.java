package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
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
     * Returns the results in the order of the inputs. After a failure no task is started. When all
     * started tasks have ended, it throws the failure of the first input, in this order, that
     * failed, with the others suppressed.
     */
    <T, R> List<R> map(List<T> inputs, Task<? super T, ? extends R> task) throws IOException {
        Batch<T, R> batch = new Batch<>(inputs, task);
        for (int i = 1; i < Math.min(parallelism, inputs.size()); i++) {
            try {
                executor.execute(batch);
            } catch (RejectedExecutionException e) {
                break; // the caller's thread does it
            }
        }
        batch.run();
        return batch.await();
    }

    /** The state of one call, run by each of its threads. */
    private static final class Batch<T, R> implements Runnable {
        private final List<T> inputs;
        private final Task<? super T, ? extends R> task;
        private final List<CompletableFuture<R>> results = new ArrayList<>();
        private final AtomicInteger next = new AtomicInteger();
        private final Map<Integer, Throwable> failures = new ConcurrentSkipListMap<>();

        Batch(List<T> inputs, Task<? super T, ? extends R> task) {
            this.inputs = requireNonNull(inputs, "inputs is null");
            this.task = requireNonNull(task, "task is null");
            inputs.forEach(_ -> results.add(new CompletableFuture<>()));
        }

        @Override
        public void run() {
            for (int i = next.getAndIncrement(); i < inputs.size(); i = next.getAndIncrement()) {
                if (!failures.isEmpty()) {
                    results.get(i).cancel(false);
                    continue;
                }
                try {
                    results.get(i).complete(task.run(inputs.get(i)));
                } catch (Throwable failure) {
                    failures.put(i, failure);
                    results.get(i).completeExceptionally(failure);
                }
            }
        }

        List<R> await() throws IOException {
            CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new))
                    .exceptionally(_ -> null) // it is among the failures
                    .join();
            if (!failures.isEmpty()) {
                throw failure();
            }
            return results.stream().map(CompletableFuture::join).toList();
        }

        private IOException failure() {
            List<Throwable> all = failures.values().stream().map(Batch::unwrap).toList();
            Throwable first = all.getFirst();
            for (Throwable other : all.subList(1, all.size())) {
                if (other != first) {
                    first.addSuppressed(other);
                }
            }
            Throwables.throwIfUnchecked(first);
            return first instanceof IOException known
                    ? known
                    : new IOException("a task failed", first);
        }

        private static Throwable unwrap(Throwable failure) {
            return failure instanceof UncheckedIOException unchecked
                    ? requireNonNull(unchecked.getCause(), "cause is null")
                    : failure;
        }
    }
}
