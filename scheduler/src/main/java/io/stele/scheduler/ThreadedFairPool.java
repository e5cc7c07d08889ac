package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The {@link ContextPool} of a running process: a fixed number of threads that run the workers of a
 * {@link FairPool}.
 *
 * <p>A worker without work parks until new work wakes it up; it uses no timer. Submitters must
 * limit the number of waiting tasks; the pool itself queues each context at most once.
 */
public final class ThreadedFairPool implements ContextPool {
    private static final int SPINS = 100; // microseconds: the cost of a wake-up

    private final FairPool pool;
    private final List<Thread> threads = new ArrayList<>();

    /**
     * @param nanoTime the clock of this machine, such as {@code System::nanoTime}
     * @param uncaught called with every failure of a task; the thread continues
     */
    public ThreadedFairPool(
            FairPoolOptions options,
            LongSupplier nanoTime,
            ThreadFactory threadFactory,
            Consumer<Throwable> uncaught) {
        requireNonNull(uncaught, "uncaught is null");
        requireNonNull(threadFactory, "threadFactory is null");
        this.pool =
                new FairPool(options, nanoTime, this::wakeUp, failure -> report(failure, uncaught));
        for (Worker worker : pool.workers()) {
            threads.add(threadFactory.newThread(() -> work(worker)));
        }
        threads.forEach(Thread::start);
    }

    @Override
    public SchedulingGroup createGroup(String name, int shares, Urgency urgency) {
        return pool.createGroup(name, shares, urgency);
    }

    @Override
    public SchedulingGroup createGroup(String name, int shares, SchedulingGroup parent) {
        return pool.createGroup(name, shares, parent);
    }

    @Override
    public void removeGroup(SchedulingGroup group) {
        pool.removeGroup(group);
    }

    @Override
    public ExecutionContext createContext(String name, SchedulingGroup group, int share) {
        return pool.createContext(name, group, share);
    }

    @Override
    public boolean tryRunHere(SchedulingGroup group, Runnable task) {
        return pool.tryRunHere(group, task);
    }

    @Override
    public PoolStatus status() {
        return pool.status();
    }

    /**
     * Runs the runnable contexts, ends the threads and waits for them, except for the calling
     * thread.
     */
    @Override
    public void close() {
        pool.close();
        Threads.joinAll(threads);
    }

    /**
     * Reports a failure. A failing reporter must not end a worker, because no other worker runs its
     * contexts.
     */
    private static void report(Throwable failure, Consumer<Throwable> uncaught) {
        try {
            uncaught.accept(failure);
        } catch (Throwable broken) {
            Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, broken);
        }
    }

    private void wakeUp(Worker worker) {
        LockSupport.unpark(threads.get(worker.index()));
    }

    /** Spins for new work for about the time of a park and a wake-up. */
    private static boolean awaitIncoming(Worker worker) {
        for (int spin = 0; spin < SPINS; spin++) {
            if (worker.hasIncoming()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private void work(Worker worker) {
        worker.attach(Thread.currentThread());
        while (true) {
            if (worker.step()) {
                continue;
            }
            if (pool.isClosing()) {
                return;
            }
            if (!awaitIncoming(worker) && worker.park()) {
                while (worker.isParked()) {
                    LockSupport.park(worker);
                    // Only close ends a worker: an interrupt of a task must not make it spin.
                    Thread.interrupted();
                }
            }
        }
    }
}
