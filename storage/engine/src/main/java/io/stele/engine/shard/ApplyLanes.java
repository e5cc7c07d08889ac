package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.KeyLane;
import io.stele.engine.tablet.SupersededRows;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.RecordType;
import io.stele.protocol.Lsn;
import io.stele.scheduler.ExecutionContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * The lanes of a shard: every group of records goes to all of them, and each applies the rows whose
 * keys are its own.
 *
 * <p>Invariant: groups come back in the order in which they were given, each when the slowest lane
 * is through with it; so the LSN of the last that came back is the minimum over the lanes.
 * Invariant: the number of lanes changes only while all have applied the same records, so that a
 * row is applied by one lane, once.
 *
 * <p>Confined to the shard's context; {@link #count} and {@link #inFlight} may be read by any
 * thread.
 */
final class ApplyLanes {
    private final ShardTables tables;
    private final IntFunction<ExecutionContext> contexts;
    private final Consumer<LaneGroup> onEnd;
    private final List<ApplyLane> lanes = new ArrayList<>(); // made so far, the first in use
    private volatile int count = 1;
    private volatile int inFlight;
    private long attempt;

    /**
     * @param contexts makes the context of a lane
     * @param onEnd takes a group that all lanes are through with, for {@link #ended}; called on a
     *     lane's context
     */
    ApplyLanes(
            ShardTables tables, IntFunction<ExecutionContext> contexts, Consumer<LaneGroup> onEnd) {
        this.tables = requireNonNull(tables, "tables is null");
        this.contexts = requireNonNull(contexts, "contexts is null");
        this.onEnd = requireNonNull(onEnd, "onEnd is null");
    }

    /** How many lanes are in use; one is the shard's context itself. */
    int count() {
        return count;
    }

    /** Groups that some lane is not through with. */
    int inFlight() {
        return inFlight;
    }

    boolean atRest() {
        return inFlight == 0;
    }

    /**
     * Uses so many lanes from now on; while they are at rest and all have applied the same records.
     */
    void use(int newCount) {
        requireRest();
        while (lanes.size() < newCount && newCount > 1) {
            lanes.add(new ApplyLane(lanes.size(), contexts.apply(lanes.size()), onEnd));
        }
        count = newCount;
    }

    /**
     * Whether lanes can apply a record beside those that they have: not if it says more than rows,
     * nor if its table takes changes in another number of lanes.
     */
    boolean takes(DurableRecord record) {
        return switch (record.type()) {
            case WRITE -> table(record).map(table -> table.laneCount() == count).orElse(true);
            case REFUSED, VOID -> true;
            case PREPARE, OUTCOME -> false;
        };
    }

    /** The table that a batch changes; empty: nothing is to be done for it. */
    Optional<TableShard> table(DurableRecord record) {
        return record.type() == RecordType.WRITE
                ? tables.findUnflushed(write(record).batch().tableId(), record.lsn())
                : Optional.empty();
    }

    private static PendingWrite write(DurableRecord record) {
        return (PendingWrite) requireNonNull(record.attachment());
    }

    /** Gives successive records that {@link #takes} allows to all lanes. */
    void start(List<DurableRecord> records, long nowMillis) {
        List<LaneWork> work = new ArrayList<>();
        for (int place = 0; place < records.size(); place++) {
            DurableRecord record = records.get(place);
            Optional<TableShard> table = table(record);
            if (table.isPresent()) {
                table.get().touch(record.lsn().value(), nowMillis);
                work.add(work(place, table.get(), record));
            }
        }
        LaneGroup group = new LaneGroup(records, work, count, attempt);
        changeInFlight(1);
        for (int lane = 0; lane < count; lane++) {
            lanes.get(lane).start(group);
        }
    }

    private static LaneWork work(int place, TableShard table, DurableRecord record) {
        PendingWrite write = write(record);
        return new LaneWork(place, table, write.batch(), record.lsn(), write.firstRowId());
    }

    /** A group came back: ends the rows that its records supersede. */
    void ended(LaneGroup group) {
        changeInFlight(-1);
        group.markSuperseded();
    }

    /** Whether every lane has applied its part of all records up to here. */
    boolean havePassed(Lsn lsn) {
        return lanes.subList(0, count).stream().allMatch(lane -> lane.passed().compareTo(lsn) >= 0);
    }

    // One writer: the shard's context.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void changeInFlight(int change) {
        inFlight += change;
    }

    /** Lanes that failed go on with what is started from now on. */
    void newAttempt() {
        requireRest();
        attempt++;
    }

    /** Whether a lane has applied its part of a record, but not all may have; at rest. */
    boolean isPartial(DurableRecord record) {
        requireRest();
        return count > 1
                && record.type() == RecordType.WRITE
                && lanes.subList(0, count).stream().anyMatch(lane -> lane.hasApplied(record.lsn()));
    }

    /** Applies here what lanes that failed have not applied of a record; at rest. */
    void catchUp(DurableRecord record) throws IOException {
        requireRest();
        Optional<TableShard> table = table(record);
        if (table.isEmpty()) {
            return;
        }
        LaneWork work = work(0, table.get(), record);
        for (int lane = 0; lane < count; lane++) {
            SupersededRows superseded = new SupersededRows(new KeyLane(lane, count));
            lanes.get(lane).applyHere(work, superseded);
            SupersededRows.mark(List.of(superseded));
        }
        work.count();
    }

    private void requireRest() {
        if (!atRest()) {
            throw new IllegalStateException(
                    "Expected lanes at rest, found " + inFlight + " groups on their way");
        }
    }
}
