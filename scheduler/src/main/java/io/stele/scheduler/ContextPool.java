package io.stele.scheduler;

/**
 * A pool of worker threads, real or simulated, that runs the execution contexts of a sidecar by
 * scheduling group.
 *
 * <p>Every method may be called from any thread.
 */
public interface ContextPool extends AutoCloseable {
    /**
     * Adds a scheduling group.
     *
     * @param shares its weight for processor time among all groups, 1 to {@link
     *     SchedulingGroup#MAX_SHARES}
     * @throws IllegalStateException if there are too many groups
     */
    SchedulingGroup createGroup(String name, int shares, Urgency urgency);

    /**
     * Adds a scheduling group nested in another group, such as a query in its class. The nested
     * groups that have something to do divide the time of their parent by their shares, however
     * many contexts they have.
     *
     * @param shares its weight among the groups of the same parent
     * @param parent of this pool, of urgency NORMAL, without contexts and not nested
     * @throws IllegalStateException if there are too many nested groups, or the parent cannot have
     *     any
     */
    SchedulingGroup createGroup(String name, int shares, SchedulingGroup parent);

    /** Removes a group from the status. Its remaining contexts still run with its shares. */
    void removeGroup(SchedulingGroup group);

    /** Creates a context with one share of its group, which must belong to this pool. */
    default ExecutionContext createContext(String name, SchedulingGroup group) {
        return createContext(name, group, 1);
    }

    /**
     * Creates a context.
     *
     * @param group of this pool, without nested groups
     * @param share the weight of this context among the contexts of its group
     * @throws IllegalArgumentException if the group has nested groups
     */
    ExecutionContext createContext(String name, SchedulingGroup group, int share);

    /**
     * Runs a short task of a group on the caller's own thread, which saves two thread switches, if
     * a worker would also run it at once: a worker is idle, or the group is of the latency class
     * and would preempt a worker's task. The group is charged for the time in both cases.
     *
     * @param task must not throw
     * @return false if nothing was run; then the task needs a context
     */
    boolean tryRunHere(SchedulingGroup group, Runnable task);

    /** The present status of the pool and its counters. */
    PoolStatus status();

    /** Runs the runnable contexts, then ends; tasks submitted later may be dropped. */
    @Override
    void close();
}
