package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.HashBucket;
import io.stele.engine.shard.apply.ApplyWork;
import io.stele.engine.shard.apply.ApplyWorker;
import io.stele.engine.shard.apply.RecordGroup;
import io.stele.engine.tablet.ObsoleteRows;
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
 * The parallel workers that apply a shard's durable log records to memory, each the rows whose keys
 * are in its hash bucket. Every worker receives every group of records.
 *
 * <p>Invariant: groups come back in the order in which they were started, each when the slowest
 * worker has finished it. So the LSN of the last returned group is the minimum over the workers.
 * Invariant: the number of workers changes only while all have applied the same records, so that a
 * row is applied by one worker, once.
 *
 * <p>Confined to the shard's context; {@link #count} and {@link #inFlight} may be read by any
 * thread.
 */
final class ApplyWorkers {
    private final ShardTables tables;
    private final IntFunction<ExecutionContext> contexts;
    private final List<ApplyWorker> workers = new ArrayList<>(); // the first count are in use
    private volatile int count = 1;
    private volatile int inFlight;
    private long attempt;
    private Consumer<RecordGroup> onEnd = group -> {};

    /**
     * @param contexts creates the context of an apply worker
     */
    ApplyWorkers(ShardTables tables, IntFunction<ExecutionContext> contexts) {
        this.tables = requireNonNull(tables, "tables is null");
        this.contexts = requireNonNull(contexts, "contexts is null");
    }

    /**
     * Sets the callback and the first number of workers, before the first record arrives.
     *
     * @param newOnEnd receives a group that all workers have finished, for {@link #ended}; called
     *     on a worker's context
     */
    void start(int firstCount, Consumer<RecordGroup> newOnEnd) {
        onEnd = requireNonNull(newOnEnd, "newOnEnd is null");
        use(firstCount);
    }

    /** The number of apply workers in use; 1: the shard's own context applies. */
    int count() {
        return count;
    }

    /** Groups that some worker has not finished. */
    int inFlight() {
        return inFlight;
    }

    boolean atRest() {
        return inFlight == 0;
    }

    /**
     * Uses {@code newCount} apply workers from now on; only while they are idle and all have
     * applied the same records.
     */
    void use(int newCount) {
        requireRest();
        while (workers.size() < newCount && newCount > 1) {
            workers.add(new ApplyWorker(workers.size(), contexts.apply(workers.size()), onEnd));
        }
        count = newCount;
    }

    /**
     * Whether the apply workers can apply a record in parallel with the records that they already
     * have. They cannot if it has more than rows, or if its table uses another number of hash
     * buckets.
     */
    boolean takes(DurableRecord record) {
        return switch (record.type()) {
            case WRITE -> table(record).map(table -> table.workerCount() == count).orElse(true);
            case REFUSED, VOID -> true;
            case PREPARE, OUTCOME, COMMIT -> false;
        };
    }

    /**
     * The table whose memtables need a record's batch; empty if the record has none, or no table
     * needs it.
     */
    Optional<TableShard> table(DurableRecord record) {
        return record.type() == RecordType.WRITE
                ? tables.findUnflushed(write(record).batch().tableId(), record.lsn())
                : Optional.empty();
    }

    private static PendingWrite write(DurableRecord record) {
        return (PendingWrite) requireNonNull(record.attachment());
    }

    /** Hands successive records that {@link #takes} allows to all workers. */
    void start(List<DurableRecord> records, long nowMillis) {
        List<ApplyWork> work = new ArrayList<>();
        for (int place = 0; place < records.size(); place++) {
            DurableRecord record = records.get(place);
            Optional<TableShard> table = table(record);
            if (table.isPresent()) {
                table.get().touch(record.lsn().value(), nowMillis);
                work.add(work(place, table.get(), record));
            }
        }
        RecordGroup group = new RecordGroup(records, work, count, attempt);
        changeInFlight(1);
        for (int worker = 0; worker < count; worker++) {
            workers.get(worker).start(group);
        }
    }

    private static ApplyWork work(int place, TableShard table, DurableRecord record) {
        PendingWrite write = write(record);
        return new ApplyWork(place, table, write.batch(), record.lsn(), write.firstRowId());
    }

    /** Counts a group as finished, and marks the rows that its records made obsolete. */
    void ended(RecordGroup group) {
        changeInFlight(-1);
        group.markObsolete();
    }

    /** Whether every worker has applied its part of all records up to here. */
    boolean havePassed(Lsn lsn) {
        return workers.subList(0, count).stream()
                .allMatch(worker -> worker.passed().compareTo(lsn) >= 0);
    }

    // One writer: the shard's context.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void changeInFlight(int change) {
        inFlight += change;
    }

    /** Workers that failed continue with the groups started from now on. */
    void newAttempt() {
        requireRest();
        attempt++;
    }

    /**
     * Whether at least one worker has applied its part of a record, but perhaps not all have; only
     * while they are idle.
     */
    boolean isPartial(DurableRecord record) {
        requireRest();
        return count > 1
                && record.type() == RecordType.WRITE
                && workers.subList(0, count).stream()
                        .anyMatch(worker -> worker.hasApplied(record.lsn()));
    }

    /**
     * Applies here the parts of a record that failed workers have not applied; only while they are
     * idle.
     */
    void catchUp(DurableRecord record) throws IOException {
        requireRest();
        Optional<TableShard> table = table(record);
        if (table.isEmpty()) {
            return;
        }
        ApplyWork work = work(0, table.get(), record);
        for (int worker = 0; worker < count; worker++) {
            ObsoleteRows obsolete = new ObsoleteRows(new HashBucket(worker, count));
            workers.get(worker).applyHere(work, obsolete);
            ObsoleteRows.mark(List.of(obsolete));
        }
        work.count();
    }

    private void requireRest() {
        if (!atRest()) {
            throw new IllegalStateException(
                    "Expected idle apply workers, found " + inFlight + " groups in flight");
        }
    }
}
