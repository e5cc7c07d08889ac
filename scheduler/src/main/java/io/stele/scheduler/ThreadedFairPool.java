package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A fixed number of threads that lend themselves to execution contexts, fairly by scheduling group.
 *
 * <p>A worker without work parks until it is given some; no timer wakes it up. The number of
 * waiting tasks is for submitters to bound; the pool itself holds each context at most once.
 */
public final class ThreadedFairPool implements ContextPool {
    private static final int SPINS = 100; // a few microseconds: what a wake-up costs the waker

    private final FairPool pool;
    private final List<Thread> threads = new ArrayList<>();

    /**
     * @param nanoTime the clock of this machine, such as {@code System::nanoTime}
     * @param uncaught called with anything a task throws; the thread continues
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
     * Runs what is runnable, ends the threads and waits for them, unless it is one of them that
     * calls.
     */
    @Override
    public void close() {
        pool.close();
        Threads.joinAll(threads);
    }

    /** A failing reporter must not end a worker, because its contexts have no other one. */
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

    /** Looks for work for as long as it would take to park and be woken up. */
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
                    // Only close ends a worker: an interrupt aimed at a task must not make it spin.
                    Thread.interrupted();
                }
            }
        }
    }
}
