package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A fixed number of threads that lend themselves to execution contexts, first come, first served.
 *
 * <p>The queue holds at most one entry for each context, so it is bounded by the number of
 * contexts. Closing lets the quanta that are queued finish and then ends the threads.
 *
 * <p>Threads: every method may be called from any thread.
 */
public final class WorkerPool implements Executor, AutoCloseable {
    private final Object lock = new Object();
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>(); // guarded by lock
    private final List<Thread> threads = new ArrayList<>();
    private final Consumer<Throwable> uncaught;
    private boolean closed; // guarded by lock

    /**
     * @param uncaught told of anything a task throws; the thread goes on
     */
    public WorkerPool(int threadCount, ThreadFactory threadFactory, Consumer<Throwable> uncaught) {
        if (threadCount < 1) {
            throw new IllegalArgumentException(
                    "threadCount must be at least 1, found " + threadCount);
        }
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        for (int index = 0; index < threadCount; index++) {
            threads.add(threadFactory.newThread(this::work));
        }
        threads.forEach(Thread::start);
    }

    /** Queues a task; after close it is dropped. */
    @Override
    public void execute(Runnable task) {
        requireNonNull(task, "task is null");
        synchronized (lock) {
            if (closed) {
                return;
            }
            queue.add(task);
            lock.notify();
        }
    }

    /**
     * Runs what is queued, ends the threads and waits for them, unless it is one of them that
     * calls.
     */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        Threads.joinAll(threads);
    }

    private void work() {
        while (true) {
            Runnable task = next();
            if (task == null) {
                return;
            }
            try {
                task.run();
            } catch (Throwable failure) {
                uncaught.accept(failure);
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (lock) {
            while (queue.isEmpty()) {
                if (closed) {
                    return null;
                }
                try {
                    lock.wait();
                } catch (InterruptedException interrupted) {
                    // Only close ends a worker: an interrupt aimed at a task must not take the
                    // thread away from the others.
                    continue;
                }
            }
            return queue.poll();
        }
    }
}
