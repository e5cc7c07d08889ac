package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The {@link BackgroundPool} of a running process, with a fixed number of threads and a bounded
 * first-in-first-out queue. Guarded by one lock.
 */
public final class ThreadedBackgroundPool implements BackgroundPool {
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final ArrayDeque<Runnable> queue = new ArrayDeque<>();

    private final List<Thread> threads = new ArrayList<>();
    private final int waitingLimit;
    private final Consumer<Throwable> uncaught;
    private final Object pausing = new Object();

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private int running;

    @GuardedBy("lock")
    private long finished;

    @GuardedBy("pausing")
    private boolean ending;

    /**
     * @param waitingLimit limit of tasks that wait for a thread
     * @param uncaught called with every failure of a task; the thread continues
     */
    public ThreadedBackgroundPool(
            int threadCount,
            int waitingLimit,
            ThreadFactory threadFactory,
            Consumer<Throwable> uncaught) {
        if (threadCount < 1 || waitingLimit < 1) {
            throw new IllegalArgumentException(
                    "threadCount and waitingLimit must be at least 1, found "
                            + threadCount
                            + " and "
                            + waitingLimit);
        }
        this.waitingLimit = waitingLimit;
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
        for (int index = 0; index < threadCount; index++) {
            threads.add(threadFactory.newThread(this::work));
        }
        threads.forEach(Thread::start);
    }

    @Override
    public void execute(Runnable task) {
        requireNonNull(task, "task is null");
        synchronized (lock) {
            if (closed) {
                throw new RejectedExecutionException("Background pool is closed");
            }
            if (queue.size() >= waitingLimit) {
                throw new RejectedExecutionException(
                        "Background pool is full: " + waitingLimit + " tasks wait");
            }
            queue.add(task);
            lock.notify();
        }
    }

    @Override
    public PoolLoad load() {
        synchronized (lock) {
            return new PoolLoad(running, queue.size(), finished);
        }
    }

    // A spurious wake-up only shortens one pause, which does no harm.
    @SuppressWarnings("WaitNotInLoop")
    @Override
    public void pause(long millis) {
        if (millis < 1) {
            return;
        }
        synchronized (pausing) {
            if (!ending) {
                try {
                    pausing.wait(millis);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            queue.clear();
            lock.notifyAll();
        }
        synchronized (pausing) {
            ending = true;
            pausing.notifyAll();
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
            } finally {
                synchronized (lock) {
                    running--;
                    finished++;
                }
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
                    continue; // only close ends a thread
                }
            }
            running++;
            return queue.poll();
        }
    }
}
