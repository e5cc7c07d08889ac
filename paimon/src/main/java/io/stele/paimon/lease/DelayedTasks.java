package io.stele.paimon.lease;

/** A timer that runs short tasks later, on a thread that they must not block. */
@FunctionalInterface
public interface DelayedTasks {
    /**
     * Runs a task after a delay in nanoseconds.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the timer has ended
     */
    void schedule(Runnable task, long delayNanos);
}
