package io.stele.scheduler;

/**
 * A preemption signal that a running task polls to find out that it should yield its thread to
 * other work.
 */
@FunctionalInterface
public interface YieldSignal {
    /** Never requests a yield. */
    YieldSignal NEVER = () -> false;

    /**
     * True when work of a latency class waits or the quantum is over; costs about one read of the
     * clock. Only for the task that was given this signal, while it runs.
     */
    boolean shouldYield();
}
