package io.stele.scheduler;

/**
 * Work that is done in steps and gives its thread back between them: the unit that a query is
 * divided into (Hologres, section 4.1).
 *
 * <p>A step does not block and lasts at most about 50 microseconds, or polls {@link
 * YieldSignal#shouldYield} that often and returns when told to.
 */
@FunctionalInterface
public interface WorkUnit {
    /**
     * Does one step on the context's thread.
     *
     * @return true when the unit is done; false to be called again, before any task that was
     *     submitted to the context later
     */
    boolean step(YieldSignal signal);

    /** Called instead of any further step when the context is cancelled or takes no more work. */
    default void cancelled() {}
}
