package io.stele.scheduler;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A weighted claim to processor time (shares) that a set of execution contexts, such as those of
 * one query, divides among itself (Hologres, section 4.5).
 *
 * <p>Active groups receive processor time in proportion to their shares, however many contexts they
 * have. Shares can be moved from one group to another; the sum stays constant.
 *
 * <p>Thread safe.
 */
public final class SchedulingGroup {
    /** The most shares a group or a context can have. */
    public static final int MAX_SHARES = 10_000;

    /** The shares of a group without a setting. */
    public static final int DEFAULT_SHARES = 1_000;

    private static final long ONE_CONTEXT = 1L << 40; // above the bits of the shares

    private final String name;
    private final Urgency urgency;
    private final AtomicInteger shares;
    private final AtomicLong runnable = new AtomicLong(); // contexts * ONE_CONTEXT + their shares
    private final ShareAverage average;
    private final LongAdder cpuNanos = new LongAdder();
    private final LongAdder switches = new LongAdder();
    private final LongAdder overruns = new LongAdder();
    private final LongAdder steals = new LongAdder();
    private final AtomicInteger placements = new AtomicInteger();
    private volatile int placedFrom; // the worker at which the present round of placements began
    private long sampledCpuNanos; // guarded by the pool's accounting
    private volatile long entitledNanos; // written by the pool's accounting

    SchedulingGroup(String name, int shares, Urgency urgency, long averageNanos) {
        this.name = requireNonNull(name, "name is null");
        this.urgency = requireNonNull(urgency, "urgency is null");
        if (shares < 1 || shares > MAX_SHARES) {
            throw new IllegalArgumentException(
                    "Expected 1 to %d shares for group %s, found %d"
                            .formatted(MAX_SHARES, name, shares));
        }
        this.shares = new AtomicInteger(shares);
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

    /**
     * Moves some of this group's shares to another group, effective from the next quantum.
     *
     * @throws IllegalArgumentException if one of the groups would have fewer than 1 or more than
     *     {@link #MAX_SHARES} shares; then nothing is changed
     */
    public void transfer(int count, SchedulingGroup to) {
        if (count < 1 || to == this) {
            throw new IllegalArgumentException(
                    "Expected at least 1 share to another group than %s, found %d to %s"
                            .formatted(name, count, to.name));
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
    }

    /** The group's present status, with the given number of running contexts. */
    GroupStatus status(long runningContexts) {
        return new GroupStatus(
                name,
                urgency,
                shares(),
                runningContexts,
                Math.max(0, runnableContexts() - runningContexts),
                cpuNanos.sum(),
                entitledNanos,
                switches.sum(),
                overruns.sum(),
                steals.sum());
    }

    @Override
    public String toString() {
        return "SchedulingGroup[" + name + "]";
    }

    // ---- for contexts and workers

    /** Called when a context of this group becomes runnable. */
    void enter(int contextShare) {
        runnable.addAndGet(ONE_CONTEXT + contextShare);
    }

    /** Called when a context of this group has no more tasks. */
    void leave(int contextShare) {
        runnable.addAndGet(-ONE_CONTEXT - contextShare);
    }

    long runnableContexts() {
        return runnable.get() / ONE_CONTEXT;
    }

    long runnableShares() {
        return runnable.get() % ONE_CONTEXT;
    }

    /** The part of all processor time, in shares, that a runnable context may claim now. */
    double claimOf(int contextShare, long nowNanos) {
        double sum = average.observe(Math.max(runnableShares(), contextShare), nowNanos);
        return contextShare * (double) shares() / sum;
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
        steals.increment();
    }

    void turnEnded() {
        switches.increment();
    }

    void used(long nanos, boolean overrun) {
        cpuNanos.add(nanos);
        if (overrun) {
            overruns.increment();
        }
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
