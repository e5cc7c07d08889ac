package io.stele.scheduler;

/**
 * A cooperative task that runs in steps and yields its thread between them: the unit into which a
 * query is divided (Hologres, section 4.1).
 *
 * <p>A step must not block. It takes at most about 50 microseconds, or polls {@link
 * YieldSignal#shouldYield} about every 50 microseconds and returns once it is true.
 */
@FunctionalInterface
public interface WorkUnit {
    /**
     * Does one step on the context's thread.
     *
     * @return true when the unit is done; false to be called again, before any task that is
     *     submitted to the context later
     */
    boolean step(YieldSignal signal);

    /**
     * Called instead of any further step when the context is cancelled or does not accept work any
     * more.
     */
    default void cancelled() {}
}
