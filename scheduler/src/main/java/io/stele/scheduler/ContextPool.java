package io.stele.scheduler;

/**
 * A set of threads, or a simulation of one, that runs execution contexts.
 *
 * <p>Every method may be called from any thread.
 */
public interface ContextPool extends AutoCloseable {
    /**
     * Adds a scheduling group.
     *
     * @param shares the weight of its claim to processor time beside those of the other groups, 1
     *     to {@link SchedulingGroup#MAX_SHARES}
     * @throws IllegalStateException if there are too many groups already
     */
    SchedulingGroup createGroup(String name, int shares, Urgency urgency);

    /** Removes a group from the status. Its remaining contexts still run with its shares. */
    void removeGroup(SchedulingGroup group);

    /** Makes a context with one share of its group, which must be one of this pool's. */
    default ExecutionContext createContext(String name, SchedulingGroup group) {
        return createContext(name, group, 1);
    }

    /**
     * Makes a context.
     *
     * @param group one of this pool's
     * @param share the weight of this context's claim beside the others of its group
     */
    ExecutionContext createContext(String name, SchedulingGroup group, int share);

    /**
     * Runs a short task of a group on the caller's own thread, which saves two changes of thread,
     * if a worker would run it at once as well: one waits for work, or the group is of the latency
     * class and that goes before what a worker does. The time is the group's either way.
     *
     * @param task throws nothing
     * @return false: nothing was run; the task is one for a context
     */
    boolean tryRunHere(SchedulingGroup group, Runnable task);

    /** The present status of the pool and its counters. */
    PoolStatus status();

    /** Runs what is runnable, then ends; tasks that come later may be dropped. */
    @Override
    void close();
}
