package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

/**
 * A scheduling group at one moment.
 *
 * @param shares its claim beside those of other groups
 * @param runningContexts contexts that a worker runs now
 * @param waitingContexts contexts that are runnable and wait for a worker
 * @param cpuNanos processor time used since the group was made
 * @param entitledNanos what its shares came to while it had something to do: of the time that all
 *     groups used, the part of its shares in those of the groups that were active. A group that
 *     uses less than that either had little to do or is treated badly
 * @param switches turns its contexts had
 * @param overruns turns that lasted more than twice the quantum, because a task did not yield
 * @param steals contexts of it that an idle worker was given by a busy one
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
        long steals) {
    public GroupStatus {
        requireNonNull(name, "name is null");
        requireNonNull(urgency, "urgency is null");
    }
}
