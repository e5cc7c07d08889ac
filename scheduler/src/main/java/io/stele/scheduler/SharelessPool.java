package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.function.Consumer;

/**
 * The base class of context pools that ignore the shares and urgencies of groups: the FIFO pool and
 * the simulated pool.
 */
abstract class SharelessPool implements ContextPool {
    private static final long AVERAGE_NANOS = 1_000_000; // of the shares, which have no effect here

    private final SchedulingGroups groups = new SchedulingGroups();
    private final ContextDispatcher dispatcher;

    /**
     * @param uncaught called with every failure of a task
     */
    SharelessPool(Consumer<Throwable> uncaught) {
        requireNonNull(uncaught, "uncaught is null");
        this.dispatcher =
                new ContextDispatcher() {
                    @Override
                    public void runnable(ExecutionContext context) {
                        enqueue(context);
                    }

                    @Override
                    public void failed(Throwable failure) {
                        uncaught.accept(failure);
                    }
                };
    }

    @Override
    public final SchedulingGroup createGroup(String name, int shares, Urgency urgency) {
        return groups.create(name, shares, urgency, AVERAGE_NANOS);
    }

    @Override
    public final SchedulingGroup createGroup(String name, int shares, SchedulingGroup parent) {
        return groups.nest(name, shares, parent, AVERAGE_NANOS);
    }

    @Override
    public final void removeGroup(SchedulingGroup group) {
        groups.remove(group);
    }

    @Override
    public final ExecutionContext createContext(String name, SchedulingGroup group, int share) {
        return new ExecutionContext(name, group, share, dispatcher);
    }

    /** Always returns false: every task waits for its turn. */
    @Override
    public final boolean tryRunHere(SchedulingGroup group, Runnable task) {
        return false;
    }

    /** Queues a runnable context; called by any thread. */
    abstract void enqueue(ExecutionContext context);

    final List<GroupStatus> groupStatuses() {
        return groups.status(group -> 0);
    }
}
