package io.stele.scheduler;

/**
 * A preemption signal that a running task polls to find out that it should yield its thread to
 * other work.
 */
@FunctionalInterface
public interface YieldSignal {
    /** A signal that never requests a yield. */
    YieldSignal NEVER = () -> false;

    /**
     * True if work of the latency class waits or the quantum is over; costs about one read of the
     * clock. Only the running task that received this signal may call it.
     */
    boolean shouldYield();
}
