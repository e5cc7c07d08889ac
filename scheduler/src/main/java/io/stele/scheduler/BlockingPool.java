package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded executor of calls that wait for a disk, a store or another process, so that no
 * execution context waits for them. It runs a bounded number of calls at once, each on a thread
 * that ends when no call waits. Its threads should be virtual: they cost little while they wait,
 * and need no fair scheduling because they hardly compute.
 *
 * <p>The result of a call returns to a context by {@link ExecutionContext#execute}.
 *
 * <p>Bounded: with {@code waitingLimit} waiting calls, the next call is refused with {@link
 * RejectedExecutionException}. Thread-safe.
 */
public final class BlockingPool implements Executor, AutoCloseable {
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private final Set<Thread> threads = new HashSet<>();

    private final int concurrency;
    private final int waitingLimit;
    private final ThreadFactory threadFactory;
    private final Consumer<Throwable> uncaught;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private long finished;

    /**
     * @param concurrency limit of calls in progress
     * @param waitingLimit limit of calls that wait
     * @param uncaught called with every failure of a call
     */
    public BlockingPool(
            int concurrency,
            int waitingLimit,
            ThreadFactory threadFactory,
            Consumer<Throwable> uncaught) {
        if (concurrency < 1 || waitingLimit < 1) {
            throw new IllegalArgumentException(
                    "concurrency and waitingLimit must be at least 1, found "
                            + concurrency
                            + " and "
                            + waitingLimit);
        }
        this.concurrency = concurrency;
        this.waitingLimit = waitingLimit;
        this.threadFactory = requireNonNull(threadFactory, "threadFactory is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
    }

    /**
     * Starts the call or queues it.
     *
     * @throws RejectedExecutionException if too many calls wait, or the pool is closed
     */
    @Override
    public void execute(Runnable call) {
        requireNonNull(call, "call is null");
        synchronized (lock) {
            if (closed) {
                throw new RejectedExecutionException("Blocking pool is closed");
            }
            if (waiting.size() >= waitingLimit) {
                throw new RejectedExecutionException(
                        "Blocking pool is full: " + waitingLimit + " calls wait");
            }
            waiting.add(call);
            if (threads.size() < concurrency) {
                Thread thread = threadFactory.newThread(this::work);
                threads.add(thread);
                thread.start();
            }
        }
    }

    /** The present load of the pool. */
    public PoolLoad load() {
        synchronized (lock) {
            return new PoolLoad(threads.size(), waiting.size(), finished);
        }
    }

    /** Refuses new calls, and returns when all waiting and running calls have ended. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            while (!threads.isEmpty() && !threads.equals(Set.of(Thread.currentThread()))) {
                try {
                    lock.wait();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    private void work() {
        for (Runnable call = next(); call != null; call = next()) {
            try {
                call.run();
            } catch (Throwable failure) {
                uncaught.accept(failure);
            }
            synchronized (lock) {
                finished++;
            }
        }
    }

    private @Nullable Runnable next() {
        synchronized (lock) {
            Runnable call = waiting.poll();
            if (call == null) {
                threads.remove(Thread.currentThread());
                lock.notifyAll();
            }
            return call;
        }
    }
}
