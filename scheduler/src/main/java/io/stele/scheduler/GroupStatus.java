package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A snapshot of a scheduling group's contexts, processor time and counters, for metrics and status
 * reports.
 *
 * @param shares its weight among the groups of its parent, or among all groups without a parent
 * @param runningContexts contexts that a worker runs now
 * @param waitingContexts contexts that are runnable and wait for a worker
 * @param cpuNanos processor time used since the creation of the group
 * @param entitledNanos the processor time that its shares entitled it to while it was active: its
 *     part of the time that all groups used, by its shares among those of the active groups. A
 *     group that used less either had little to do or was treated unfairly
 * @param switches turns of its contexts
 * @param overruns turns that lasted more than twice the quantum, because a task did not yield
 * @param steals moves of its contexts from a busy worker to an idle worker
 * @param nested the groups that divide its time; their turns, overruns and steals count here only
 */
public record GroupStatus(
        String name,
        Urgency urgency,
        int shares,
        long runningContexts,
        long waitingContexts,
        long cpuNanos,
        long entitledNanos,
        long switches,
        long overruns,
        long steals,
        List<GroupStatus> nested) {
    public GroupStatus {
        requireNonNull(name, "name is null");
        requireNonNull(urgency, "urgency is null");
        nested = List.copyOf(nested);
    }
}
