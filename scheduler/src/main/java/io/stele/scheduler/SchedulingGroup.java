package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A weighted claim to processor time (shares) that a set of execution contexts, such as those of
 * one query, divides among itself (Hologres, section 4.5).
 *
 * <p>Active groups receive processor time in proportion to their shares, however many contexts they
 * have. Shares can be moved from one group to another; the sum stays constant.
 *
 * <p>A group has either contexts or nested groups, such as a class of queries its queries. The
 * nested groups with runnable contexts divide the time of their parent by their shares. So the
 * share of an idle query moves to the other queries of its class, and returns when it has work.
 *
 * <p>Thread-safe.
 */
public final class SchedulingGroup {
    /** The most shares a group or a context can have. */
    public static final int MAX_SHARES = 10_000;

    /** The shares of a group without a setting. */
    public static final int DEFAULT_SHARES = 1_000;

    private final String name;
    private final Urgency urgency;
    private final @Nullable SchedulingGroup parent;
    private final Set<SchedulingGroup> nested = ConcurrentHashMap.newKeySet();
    private final AtomicInteger shares;
    private final RunnableShares runnable;
    private final ShareAverage average;
    private final LongAdder cpuNanos = new LongAdder();
    private final LongAdder switches = new LongAdder();
    private final LongAdder overruns = new LongAdder();
    private final LongAdder steals = new LongAdder();
    private final AtomicInteger placements = new AtomicInteger();
    private volatile boolean hasNested; // once true, always true
    private volatile int placedFrom; // the worker at which the present round of placements began
    private long sampledCpuNanos; // guarded by the pool's accounting
    private volatile long entitledNanos; // written by the pool's accounting

    SchedulingGroup(String name, int shares, Urgency urgency, long averageNanos) {
        this(name, shares, urgency, averageNanos, null);
    }

    /**
     * @param parent the group whose time this group divides with others; null: none
     */
    SchedulingGroup(
            String name,
            int shares,
            Urgency urgency,
            long averageNanos,
            @Nullable SchedulingGroup parent) {
        this.name = requireNonNull(name, "name is null");
        this.urgency = requireNonNull(urgency, "urgency is null");
        this.parent = parent;
        if (shares < 1 || shares > MAX_SHARES) {
            throw new IllegalArgumentException(
                    "Expected 1 to %d shares for group %s, found %d"
                            .formatted(MAX_SHARES, name, shares));
        }
        this.shares = new AtomicInteger(shares);
        this.runnable =
                parent == null
                        ? new RunnableShares()
                        : new RunnableShares(parent.runnable, this.shares);
        this.average = new ShareAverage(averageNanos);
    }

    public String name() {
        return name;
    }

    public Urgency urgency() {
        return urgency;
    }

    public int shares() {
        return shares.get();
    }

    /** The group that contains this group; empty: it is not nested. */
    public Optional<SchedulingGroup> parent() {
        return Optional.ofNullable(parent);
    }

    /**
     * Moves some of this group's shares to another group, effective from the next quantum.
     *
     * @param to a group of the same parent
     * @throws IllegalArgumentException if one of the groups would have fewer than 1 or more than
     *     {@link #MAX_SHARES} shares; then nothing is changed
     */
    public void transfer(int count, SchedulingGroup to) {
        if (count < 1 || to == this || to.parent != parent) {
            throw new IllegalArgumentException(
                    "Expected at least 1 share to another group than %s with the parent %s, found %d to %s with the parent %s"
                            .formatted(name, parent, count, to, to.parent));
        }
        take(count);
        try {
            to.give(count);
        } catch (IllegalArgumentException tooMany) {
            give(count);
            throw tooMany;
        }
    }

    private void take(int count) {
        shares.updateAndGet(
                present -> {
                    if (present - count < 1) {
                        throw new IllegalArgumentException(
                                "Expected group %s to keep at least 1 share, found %d less %d"
                                        .formatted(name, present, count));
                    }
                    return present - count;
                });
        runnable.sharesChanged();
    }

    private void give(int count) {
        shares.updateAndGet(
                present -> {
                    if (present + count > MAX_SHARES) {
                        throw new IllegalArgumentException(
                                "Expected group %s to have at most %d shares, found %d more than %d"
                                        .formatted(name, MAX_SHARES, count, present));
                    }
                    return present + count;
                });
        runnable.sharesChanged();
    }

    /**
     * The group's present status, and that of its nested groups.
     *
     * @param running the number of running contexts of a group without nested groups
     */
    GroupStatus status(ToLongFunction<SchedulingGroup> running) {
        List<GroupStatus> members = nested.stream().map(group -> group.status(running)).toList();
        long runningContexts = running.applyAsLong(this);
        long waitingContexts = Math.max(0, runnableContexts() - runningContexts);
        if (isParent()) {
            runningContexts = members.stream().mapToLong(GroupStatus::runningContexts).sum();
            waitingContexts = members.stream().mapToLong(GroupStatus::waitingContexts).sum();
        }
        return new GroupStatus(
                name,
                urgency,
                shares(),
                runningContexts,
                waitingContexts,
                cpuNanos.sum(),
                entitledNanos,
                switches.sum(),
                overruns.sum(),
                steals.sum(),
                members);
    }

    @Override
    public String toString() {
        return "SchedulingGroup[" + name + "]";
    }

    // ---- nested groups

    /** The nested groups, in no order. */
    Collection<SchedulingGroup> nested() {
        return nested;
    }

    boolean isParent() {
        return hasNested;
    }

    /**
     * Adds a nested group.
     *
     * @throws IllegalStateException if this group is nested itself, has contexts, or is of the
     *     latency class, where short tasks have no order to keep
     */
    SchedulingGroup nest(String nestedName, int nestedShares, long averageNanos) {
        if (parent != null || placements.get() > 0 || urgency != Urgency.NORMAL) {
            throw new IllegalStateException(
                    "Expected a group of urgency NORMAL without parent and contexts to nest %s in, found %s"
                            .formatted(nestedName, this));
        }
        SchedulingGroup group =
                new SchedulingGroup(nestedName, nestedShares, urgency, averageNanos, this);
        hasNested = true;
        nested.add(group);
        return group;
    }

    boolean removeNested(SchedulingGroup group) {
        return nested.remove(group);
    }

    // ---- for contexts and workers

    /** Called when a context of this group becomes runnable. */
    void enter(int contextShare) {
        runnable.enter(contextShare);
    }

    /** Called when a context of this group has no more tasks. */
    void leave(int contextShare) {
        runnable.leave(contextShare);
    }

    /** The number of runnable contexts, or of nested groups that have one. */
    long runnableContexts() {
        return runnable.count();
    }

    long runnableShares() {
        return runnable.shares();
    }

    /** The part of all processor time, in shares, that a runnable member may claim now. */
    double claimOf(int memberShares, long nowNanos) {
        double sum = average.observe(Math.max(runnableShares(), memberShares), nowNanos);
        double own = parent == null ? shares() : parent.claimOf(shares(), nowNanos);
        return memberShares * own / sum;
    }

    /** The approximate claim of one more context beside the given number of equal contexts. */
    double expectedClaim(int contexts) {
        double own = shares();
        if (parent != null) {
            long ofAll = parent.runnableShares() + (runnable.count() == 0 ? shares() : 0);
            own *= parent.shares() / (double) Math.max(ofAll, shares());
        }
        return own / (contexts + 1);
    }

    /** Returns the number of contexts placed before, and counts one more. */
    int nextPlacement() {
        return placements.getAndIncrement() & Integer.MAX_VALUE;
    }

    /** The worker at which the present round of placements began. */
    int placedFrom() {
        return placedFrom;
    }

    void placeFrom(int worker) {
        placedFrom = worker;
    }

    void stolen() {
        totals().steals.increment();
    }

    void turnEnded() {
        totals().switches.increment();
    }

    void used(long nanos, boolean overrun) {
        cpuNanos.add(nanos);
        if (parent != null) {
            parent.cpuNanos.add(nanos);
        }
        if (overrun) {
            totals().overruns.increment();
        }
    }

    /** The group that counts turns: this one, or its parent, so that a turn is counted once. */
    private SchedulingGroup totals() {
        return parent == null ? this : parent;
    }

    /** The processor time since the last call, in nanoseconds; one caller at a time. */
    long takeCpuNanos() {
        long total = cpuNanos.sum();
        long since = total - sampledCpuNanos;
        sampledCpuNanos = total;
        return since;
    }

    /** Adds to the time that the group was entitled to; one caller at a time. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void entitled(long nanos) {
        entitledNanos += nanos;
    }
}
