package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * The {@link Periodic} timer of a running process, with one thread for each task, which waits on a
 * monitor between the calls.
 */
public final class ThreadedPeriodic implements Periodic {
    private final ThreadFactory threadFactory;
    private final Consumer<Throwable> uncaught;

    public ThreadedPeriodic(ThreadFactory threadFactory, Consumer<Throwable> uncaught) {
        this.threadFactory = requireNonNull(threadFactory, "threadFactory is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
    }

    @Override
    public AutoCloseable every(long periodMillis, Runnable task) {
        if (periodMillis < 1) {
            throw new IllegalArgumentException(
                    "periodMillis must be at least 1, found " + periodMillis);
        }
        Loop loop = new Loop(periodMillis, requireNonNull(task, "task is null"));
        threadFactory.newThread(loop).start();
        return loop;
    }

    private final class Loop implements Runnable, AutoCloseable {
        private final long periodMillis;
        private final Runnable task;

        @GuardedBy("this")
        private boolean stopped;

        private Loop(long periodMillis, Runnable task) {
            this.periodMillis = periodMillis;
            this.task = task;
        }

        @Override
        public void run() {
            while (waitOnePeriod()) {
                try {
                    task.run();
                } catch (Throwable failure) {
                    uncaught.accept(failure);
                }
            }
        }

        @Override
        public synchronized void close() {
            stopped = true;
            notifyAll();
        }

        // A spurious wake-up only makes one call early, which does no harm.
        @SuppressWarnings("WaitNotInLoop")
        private synchronized boolean waitOnePeriod() {
            if (!stopped) {
                try {
                    wait(periodMillis);
                } catch (InterruptedException interrupted) {
                    return false;
                }
            }
            return !stopped;
        }
    }
}
