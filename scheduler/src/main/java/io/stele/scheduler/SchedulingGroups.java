package io.stele.scheduler;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToLongFunction;

/**
 * The list of the scheduling groups of one context pool, in order of creation. Safe for use by many
 * threads at once.
 */
final class SchedulingGroups implements Iterable<SchedulingGroup> {
    private static final int MAX_GROUPS = 4096; // each status and each balancing iterates over them

    private final CopyOnWriteArrayList<SchedulingGroup> groups = new CopyOnWriteArrayList<>();

    /**
     * Creates a group.
     *
     * @throws IllegalStateException if there are too many groups
     */
    SchedulingGroup create(String name, int shares, Urgency urgency, long averageNanos) {
        SchedulingGroup group = new SchedulingGroup(name, shares, urgency, averageNanos);
        synchronized (groups) {
            if (groups.size() >= MAX_GROUPS) {
                throw new IllegalStateException(
                        "Expected at most %d scheduling groups, found one more: %s"
                                .formatted(MAX_GROUPS, name));
            }
            groups.add(group);
        }
        return group;
    }

    void remove(SchedulingGroup group) {
        groups.remove(group);
    }

    @Override
    public Iterator<SchedulingGroup> iterator() {
        return groups.iterator();
    }

    /**
     * The present status of the groups.
     *
     * @param running the number of running contexts of a group
     */
    List<GroupStatus> status(ToLongFunction<SchedulingGroup> running) {
        return groups.stream().map(group -> group.status(running.applyAsLong(group))).toList();
    }
}
