package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A long-lived serial task queue: tasks run one at a time, in the order they were submitted, on
 * whatever thread the pool lends.
 *
 * <p>State that only tasks of one context touch needs no lock: the queue's lock orders one task
 * before the next.
 *
 * <p>Invariant: at most one thread runs tasks of this context at any moment. Invariant: a context
 * that has waiting tasks is in its pool's queue exactly once.
 *
 * <p>A context gives its thread back after a quantum of tasks, so that contexts sharing a pool take
 * turns. Tasks must not block.
 *
 * <p>Threads: every method may be called from any thread.
 */
public final class ExecutionContext implements Executor {
    private static final int QUANTUM_TASKS =
            64; // long enough to amortise the hand-over, short enough for neighbours

    private final String name;
    private final Executor pool;
    private final Consumer<Throwable> uncaught;
    private final Object lock = new Object();
    private ArrayDeque<Runnable> tasks = new ArrayDeque<>(); // guarded by lock
    private boolean scheduled; // guarded by lock: in the pool's queue, or running
    private boolean cancelled; // guarded by lock
    private volatile @Nullable Thread runner; // null while no task runs

    /**
     * @param pool runs this context's quanta; must not run them inside {@code execute} on the
     *     submitter's stack
     * @param uncaught told of a task that throws; the context goes on with the next task
     */
    public ExecutionContext(String name, Executor pool, Consumer<Throwable> uncaught) {
        this.name = requireNonNull(name, "name is null");
        this.pool = requireNonNull(pool, "pool is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
    }

    public String name() {
        return name;
    }

    /** Queues a task; a cancelled context drops it silently, as it drops those already waiting. */
    @Override
    public void execute(Runnable task) {
        requireNonNull(task, "task is null");
        enqueue(task);
    }

    /** Queues a task and returns its outcome; the future is cancelled when the context is. */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        requireNonNull(task, "task is null");
        CompletableFuture<T> result = new CompletableFuture<>();
        if (!enqueue(new ResultTask<>(task, result))) {
            result.completeExceptionally(
                    new CancellationException("Execution context " + name + " is cancelled"));
        }
        return result;
    }

    /** Completes when every task submitted before this call has run. */
    public CompletableFuture<@Nullable Void> join() {
        return this.<@Nullable Void>submit(() -> null);
    }

    /**
     * Drops waiting tasks (their futures fail as cancelled) and refuses new ones; the running task,
     * if any, ends by itself.
     */
    public void cancel() {
        ArrayDeque<Runnable> dropped;
        synchronized (lock) {
            cancelled = true;
            dropped = tasks;
            tasks = new ArrayDeque<>();
        }
        for (Runnable task : dropped) {
            if (task instanceof ResultTask<?> withResult) {
                withResult
                        .result()
                        .completeExceptionally(
                                new CancellationException(
                                        "Execution context " + name + " is cancelled"));
            }
        }
    }

    /** Whether the calling thread is running a task of this context now. */
    public boolean isCurrent() {
        return runner == Thread.currentThread();
    }

    public int waitingTasks() {
        synchronized (lock) {
            return tasks.size();
        }
    }

    @Override
    public String toString() {
        return "ExecutionContext[" + name + "]";
    }

    private boolean enqueue(Runnable task) {
        synchronized (lock) {
            if (cancelled) {
                return false;
            }
            tasks.add(task);
            if (scheduled) {
                return true;
            }
            scheduled = true;
        }
        pool.execute(this::runQuantum);
        return true;
    }

    private void runQuantum() {
        runner = Thread.currentThread();
        try {
            for (int ran = 0; ran < QUANTUM_TASKS; ran++) {
                Runnable task;
                synchronized (lock) {
                    task = tasks.poll();
                }
                if (task == null) {
                    break;
                }
                runTask(task);
            }
        } finally {
            runner = null;
        }
        synchronized (lock) {
            if (tasks.isEmpty()) {
                scheduled = false;
                return;
            }
        }
        pool.execute(this::runQuantum);
    }

    private void runTask(Runnable task) {
        try {
            task.run();
        } catch (Throwable failure) {
            uncaught.accept(failure);
        }
    }

    private record ResultTask<T extends @Nullable Object>(
            Callable<T> task, CompletableFuture<T> result) implements Runnable {
        @Override
        public void run() {
            T value;
            try {
                value = task.call();
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
                return;
            }
            result.complete(value);
        }
    }
}
