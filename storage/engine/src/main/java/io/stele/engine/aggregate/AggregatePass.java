package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.protocol.row.RowEncoder;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One pass over the rows of an aggregation: the results of some of its groups. Parts are computed
 * one by one, in any number of threads, and merged. A pass that finds more groups than the limit is
 * given up: it has no results, and passes of fewer groups replace it.
 *
 * <p>Parts are merged in their order, not in the order in which they end, so that sums of floating
 * point are the same for the same files. Thread-safe: guarded by its own lock.
 */
public final class AggregatePass {
    /** Parts whose metadata are wanted soon: twice as many as are read at once, as a rule. */
    private static final int ANNOUNCED = 16;

    private final AggregatePlan plan;
    private final GroupRange range;
    private final AggregateLimits limits;
    private final List<AggregateScan.Source> parts;
    private final int computing;

    /** Parts that were given out and are not closed. */
    private final AtomicInteger openParts = new AtomicInteger();

    /** Of the states of parts that are being computed. */
    private final AtomicLong openBytes = new AtomicLong();

    /** Set once, by the part or merge that detects it. */
    private volatile boolean tooLarge;

    /** As well, before that. */
    private volatile boolean crowded;

    @GuardedBy("this")
    private final GroupedState merged;

    @GuardedBy("this")
    private final Map<Integer, GroupedState> early = new TreeMap<>(); // that others come before

    @GuardedBy("this")
    private int opened;

    @GuardedBy("this")
    private int announced;

    @GuardedBy("this")
    private int mergedParts;

    @GuardedBy("this")
    private int nextInOrder;

    // Parts that did not wait for their turn
    @GuardedBy("this")
    private final BitSet mergedEarly = new BitSet();

    // Of the states in `early`
    @GuardedBy("this")
    private long earlyBytes;

    /**
     * @param computing the number of parts that may have the most bytes at once
     * @param sources open the parts that are read
     * @param known the results of parts that need not be read
     */
    AggregatePass(
            AggregatePlan plan,
            GroupRange range,
            AggregateLimits limits,
            int computing,
            List<AggregateScan.Source> sources,
            Optional<GroupedState> known) {
        this.computing = computing;
        this.plan = requireNonNull(plan, "plan is null");
        this.range = requireNonNull(range, "range is null");
        this.limits = requireNonNull(limits, "limits is null");
        this.parts = List.copyOf(sources);
        this.merged = plan.newState();
        known.ifPresent(merged::merge);
    }

    GroupRange range() {
        return range;
    }

    /** The number of parts to read. */
    public int partCount() {
        return parts.size();
    }

    /** The next part that no thread has taken; empty if there is none, or the pass was given up. */
    public synchronized Optional<AggregatePart> nextPart() {
        if (tooLarge || opened == parts.size()) {
            return Optional.empty();
        }
        int index = opened++;
        openParts.incrementAndGet();
        for (; announced < Math.min(parts.size(), index + ANNOUNCED); announced++) {
            parts.get(announced).announce();
        }
        return Optional.of(parts.get(index).open(index, this));
    }

    /**
     * Whether it found too many groups. The thread that computes a part then closes it; {@link
     * GroupRange#split} gives the passes to compute instead, unless it {@link #isCrowded}.
     */
    public boolean isTooLarge() {
        return tooLarge;
    }

    /** Gives the pass up if a state of it has become too large. */
    private void check(GroupedState state) {
        if (limits.isExceeded(state, range)) {
            tooLarge = true;
        }
    }

    /**
     * Gives the pass up if the state of a part has become too large, or all of them together.
     *
     * @param bytes by which it has grown
     */
    void checkOpen(GroupedState state, long bytes) {
        check(state);
        boolean isFull = openBytes.addAndGet(bytes) > computing * limits.maxBytes();
        if (isFull && openParts.get() > computing) {
            crowded = true;
            tooLarge = true;
        }
    }

    /**
     * Whether it was given up because more parts were computed at once than may have the most
     * bytes: the same groups may fit where no more are.
     */
    public boolean isCrowded() {
        return crowded;
    }

    /** A part whose state had these bytes was merged or discarded. */
    void closed(long bytes) {
        openParts.decrementAndGet();
        openBytes.addAndGet(-bytes);
    }

    /**
     * Takes what a part has come to when all of it was computed.
     *
     * @throws io.stele.protocol.SteleException TOO_MANY_GROUPS: one group alone is too large
     */
    public void merge(AggregatePart part) {
        GroupedState state = part.complete();
        synchronized (this) {
            if (!tooLarge) {
                merge(part.index(), state);
            }
        }
    }

    @GuardedBy("this")
    private void merge(int index, GroupedState state) {
        early.put(index, state);
        earlyBytes += state.sizeBytes();
        while (!tooLarge) {
            GroupedState next = early.remove(nextInOrder);
            if (next == null && !mergedEarly.get(nextInOrder)) {
                break;
            }
            nextInOrder++;
            if (next != null) {
                add(next);
            }
        }
        if (earlyBytes > limits.maxBytes()) {
            // Too much to wait for the part that is late: sums may differ in their last digits
            for (Map.Entry<Integer, GroupedState> waiting : early.entrySet()) {
                if (tooLarge) {
                    break;
                }
                mergedEarly.set(waiting.getKey());
                add(waiting.getValue());
            }
            early.clear();
        }
    }

    @GuardedBy("this")
    private void add(GroupedState state) {
        earlyBytes -= state.sizeBytes();
        merged.merge(state);
        mergedParts++;
        check(merged);
    }

    /** The number of results, after all parts were merged. */
    public synchronized int resultCount() {
        if (tooLarge || mergedParts < parts.size()) {
            throw new IllegalStateException(
                    "Expected all %s parts of an aggregation, found %s%s"
                            .formatted(
                                    parts.size(),
                                    mergedParts,
                                    tooLarge ? " of one that was given up" : ""));
        }
        return merged.groupCount();
    }

    /**
     * Writes a result as a row of {@link AggregateScan#resultColumns}.
     *
     * @throws io.stele.protocol.SteleException NUMBER_OUT_OF_RANGE
     */
    public synchronized void result(int index, RowEncoder row) {
        row.reset();
        merged.set(index, plan.aggregation().groupColumns().size(), row);
    }
}
