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
 * A computation of some of an aggregation's groups: it hands parts of the rows to several threads
 * and merges their results in order. A pass that exceeds the limits is given up without results,
 * and passes of fewer groups replace it.
 *
 * <p>Parts are merged in their order, not in the order in which they end, so that sums of floating
 * point are the same for the same files. Thread-safe: guarded by its own lock.
 */
public final class AggregatePass {
    /** Parts whose file metadata are prefetched: usually twice as many as are read at once. */
    private static final int ANNOUNCED = 16;

    private final AggregatePlan plan;
    private final GroupRange range;
    private final AggregateLimits limits;
    private final List<AggregateScan.Source> parts;
    private final int computing;

    /** The number of parts that were handed out and are not closed. */
    private final AtomicInteger openParts = new AtomicInteger();

    /** Bytes of the states of parts that are being computed. */
    private final AtomicLong openBytes = new AtomicLong();

    /** Set once, by the part or merge that detects it. */
    private volatile boolean tooLarge;

    /** Set once, before {@link #tooLarge}, if too many parts had states at once. */
    private volatile boolean crowded;

    @GuardedBy("this")
    private final GroupedState merged;

    @GuardedBy("this")
    private final Map<Integer, GroupedState> early = new TreeMap<>(); // waiting for earlier parts

    @GuardedBy("this")
    private int opened;

    @GuardedBy("this")
    private int announced;

    @GuardedBy("this")
    private int mergedParts;

    @GuardedBy("this")
    private int nextInOrder;

    // Indexes of parts that were merged before their turn
    @GuardedBy("this")
    private final BitSet mergedEarly = new BitSet();

    // Bytes of the states in `early`
    @GuardedBy("this")
    private long earlyBytes;

    /**
     * @param computing the number of parts whose states may have the maximal size at once
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

    /** The next part that no thread has; empty if there is none, or the pass was given up. */
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
     * Whether the pass was given up because its groups exceed the limits. A thread that computes a
     * part then closes the part. Passes of the ranges of {@link GroupRange#split} are computed
     * instead, unless the pass {@link #isCrowded}.
     */
    public boolean isTooLarge() {
        return tooLarge;
    }

    /** Gives the pass up if one of its states exceeds the limits. */
    private void check(GroupedState state) {
        if (limits.isExceeded(state, range)) {
            tooLarge = true;
        }
    }

    /**
     * Gives the pass up if the state of a part, or the states of all open parts together, exceed
     * the limits.
     *
     * @param bytes by which the state has grown
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
     * Whether the pass was given up because more parts than expected were computed at once. The
     * same groups may fit in a pass with fewer parts at once.
     */
    public boolean isCrowded() {
        return crowded;
    }

    /** Releases the bytes of a part's state, which was merged or discarded. */
    void closed(long bytes) {
        openParts.decrementAndGet();
        openBytes.addAndGet(-bytes);
    }

    /**
     * Merges the result of a part whose batches are all computed.
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
            // Merged before the late part, to free memory: sums may differ in their last digits
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
