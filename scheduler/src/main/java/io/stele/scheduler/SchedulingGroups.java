package io.stele.scheduler;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

/**
 * The list of the scheduling groups of one context pool, in order of creation, and the count of the
 * groups nested in them. Thread-safe.
 */
final class SchedulingGroups implements Iterable<SchedulingGroup> {
    private static final int MAX_GROUPS = 4096; // each status and each balancing iterates over them

    // Far above the queries that run at once; only balancing and status iterate over them.
    private static final int MAX_NESTED = 65_536;

    private final CopyOnWriteArrayList<SchedulingGroup> groups = new CopyOnWriteArrayList<>();
    private final AtomicInteger nested = new AtomicInteger();

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

    /**
     * Creates a group in another group.
     *
     * @throws IllegalStateException if there are too many such groups, or the parent cannot have
     *     any
     */
    SchedulingGroup nest(String name, int shares, SchedulingGroup parent, long averageNanos) {
        if (nested.incrementAndGet() > MAX_NESTED) {
            nested.decrementAndGet();
            throw new IllegalStateException(
                    "Expected at most %d nested scheduling groups, found one more: %s"
                            .formatted(MAX_NESTED, name));
        }
        try {
            return parent.nest(name, shares, averageNanos);
        } catch (RuntimeException refused) {
            nested.decrementAndGet();
            throw refused;
        }
    }

    void remove(SchedulingGroup group) {
        SchedulingGroup parent = group.parent().orElse(null);
        if (parent == null) {
            groups.remove(group);
        } else if (parent.removeNested(group)) {
            nested.decrementAndGet();
        }
    }

    @Override
    public Iterator<SchedulingGroup> iterator() {
        return groups.iterator();
    }

    /**
     * The present status of the groups.
     *
     * @param running the number of running contexts of a group without nested groups
     */
    List<GroupStatus> status(ToLongFunction<SchedulingGroup> running) {
        return groups.stream().map(group -> group.status(running)).toList();
    }
}
