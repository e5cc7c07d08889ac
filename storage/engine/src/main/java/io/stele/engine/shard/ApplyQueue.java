package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.apply.AppliedLsn;
import io.stele.engine.shard.apply.ApplyLoad;
import io.stele.engine.shard.apply.ApplyOptions;
import io.stele.engine.shard.apply.ApplyStatus;
import io.stele.engine.shard.apply.ApplyWork;
import io.stele.engine.shard.apply.ApplyWorkerPolicy;
import io.stele.engine.shard.apply.RecordGroup;
import io.stele.engine.shard.apply.RecordGroup.Failure;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.RecordType;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a shard's durable records that wait to be applied to memory: applied, then
 * acknowledged, in the order of the log. While one worker is enough, records are applied here one
 * after the other. Otherwise the apply workers receive groups of writes. A record of a transaction
 * is a barrier: it waits until the workers are idle and is applied here, and later records wait for
 * it.
 *
 * <p>Invariant: records count as applied in LSN order, each once, when every worker has applied
 * them: {@code appliedLsn = min(workers)}. A record that cannot be applied only because the store
 * does not answer is tried again, here, and the records after it wait. A table that cannot take its
 * rows is set aside, and the record counts as applied; any other failure stops the shard.
 *
 * <p>Confined to the shard's context, except for {@link #arrived}, {@link #storeWait} and {@link
 * #status}.
 */
final class ApplyQueue {
    private final ShardState state;
    private final DamagedTables damaged;
    private final RecordApplier applier;
    private final WriteAnswers answers;
    private final AppliedLsn applied;
    private final WriteResolver resolver;
    private final ApplyOptions options;
    private final ApplyWorkers workers;
    private final ApplyWorkerPolicy policy;
    private final ApplyLoad load;
    private final AtomicLong pending = new AtomicLong(); // records that arrived and are not settled
    private final Deque<DurableRecord> unapplied = new ArrayDeque<>(); // during storeWait
    private final List<RecordGroup> failed = new ArrayList<>(); // from the first failure on
    private volatile @Nullable StoreWait storeWait; // set by the context
    private Runnable afterApply = () -> {};

    ApplyQueue(
            ShardState state,
            DamagedTables damaged,
            RecordApplier applier,
            WriteAnswers answers,
            WriteResolver resolver,
            ApplyOptions options,
            ApplyWorkers workers,
            ApplyLoad load) {
        this.state = requireNonNull(state, "state is null");
        this.damaged = requireNonNull(damaged, "damaged is null");
        this.applied = state.applied();
        this.applier = requireNonNull(applier, "applier is null");
        this.answers = requireNonNull(answers, "answers is null");
        this.resolver = requireNonNull(resolver, "resolver is null");
        this.options = requireNonNull(options, "options is null");
        this.workers = requireNonNull(workers, "workers is null");
        this.policy = new ApplyWorkerPolicy(options);
        this.load = requireNonNull(load, "load is null");
    }

    /**
     * Sets the callback and the first number of workers, before the first record arrives.
     *
     * @param newAfterApply called whenever records were applied
     */
    void start(Runnable newAfterApply) {
        afterApply = requireNonNull(newAfterApply, "newAfterApply is null");
        workers.start(options.minWorkers(), this::groupEnded);
    }

    /** Runs the callback that {@link #start} received. */
    void runAfterApply() {
        afterApply.run();
    }

    /** Queues durable records for their application; any thread, in LSN order. */
    void arrived(List<DurableRecord> records) {
        boolean behind = pending.getAndAdd(records.size()) > 0;
        state.context().executeBeside(() -> applyAll(records, behind));
    }

    private void applyAll(List<DurableRecord> records, boolean behind) {
        if (options.maxWorkers() > options.minWorkers()) {
            load.group(rows(records), behind);
            considerWorkers();
        }
        process(records);
    }

    private static long rows(List<DurableRecord> records) {
        long rows = 0;
        for (DurableRecord record : records) {
            switch (record.attachment()) {
                case PendingWrite write -> rows += write.batch().operationCount();
                case PendingCommit pending -> {
                    for (WriteBatchReader batch : pending.commit().batches()) {
                        rows += batch.operationCount();
                    }
                }
                case null, default -> {
                    // It has no rows
                }
            }
        }
        return rows;
    }

    /** Changes the number of apply workers if the recent load requires it. */
    void considerWorkers() {
        load.take()
                .map(window -> policy.workers(workers.count(), window))
                .filter(wanted -> wanted != workers.count())
                .ifPresent(wanted -> state.context().execute(() -> useWorkers(wanted)));
    }

    /** Changes the number of workers; only while none is busy. */
    private void useWorkers(int count) {
        if (storeWait != null || state.isFailed() || count == workers.count()) {
            return; // some workers may be behind others
        }
        workers.use(count);
        if (count == 1) {
            state.tables().all().forEach(table -> table.useWorkers(1, applied.applied().value()));
        }
    }

    /** Applies records as far as possible now; the remaining records wait in their turn. */
    private void process(List<DurableRecord> records) {
        int from = 0;
        while (from < records.size()) {
            List<DurableRecord> left = records.subList(from, records.size());
            if (storeWait != null || !failed.isEmpty()) {
                unapplied.addAll(left);
                return;
            }
            if (workers.count() == 1 || state.isFailed()) {
                applyNow(left);
                return;
            }
            int size = applicable(left);
            if (size > 0) {
                applyInParallel(left.subList(0, size));
                from += size;
            } else if (workers.atRest()) {
                int barriers = barriers(left);
                applyNow(left.subList(0, barriers));
                from += barriers;
            } else {
                List<DurableRecord> later = List.copyOf(left);
                state.context().executeNext(() -> process(later));
                return;
            }
        }
    }

    /** The number of the first records to apply here: one, or commits that follow each other. */
    private static int barriers(List<DurableRecord> records) {
        int count = 0;
        while (count < records.size() && records.get(count).type() == RecordType.COMMIT) {
            count++;
        }
        return Math.max(1, count);
    }

    /** The number of the first records that the apply workers can take now. */
    private int applicable(List<DurableRecord> records) {
        if (workers.atRest()) {
            records.forEach(this::prepareTable);
        }
        int size = 0;
        while (size < records.size() && workers.takes(records.get(size))) {
            size++;
        }
        return size;
    }

    private void prepareTable(DurableRecord record) {
        Optional<TableShard> table = workers.table(record);
        if (table.isPresent() && table.get().workerCount() != workers.count()) {
            table.get().useWorkers(workers.count(), applied.applied().value());
        }
    }

    private void applyInParallel(List<DurableRecord> records) {
        boolean small = rows(records) < (long) options.rowsPerWorker() * workers.count();
        if (small && workers.atRest()) {
            applyNow(records);
        } else {
            workers.start(records, state.nowMillis());
        }
    }

    /** All workers have finished a group; called on a worker's context. */
    private void groupEnded(RecordGroup group) {
        state.context().report(() -> settle(group));
    }

    private void settle(RecordGroup group) {
        workers.ended(group);
        boolean whole = failed.isEmpty() && group.failure().isEmpty();
        if (whole && !workers.havePassed(group.lastLsn())) {
            state.fail(
                    new SteleException(
                            ErrorCode.INTERNAL,
                            "Shard %s stopped: expected every apply worker at or behind LSN %s, found one before it"
                                    .formatted(state.id(), group.lastLsn())));
        }
        if (whole && !state.isFailed()) {
            group.records().forEach(applier::note);
            group.work().forEach(ApplyWork::count);
            settle(group.records(), group.records().size());
        } else {
            failed.add(group);
        }
        if (workers.atRest() && !failed.isEmpty()) {
            settleFailed();
        }
        state.context().proceed();
    }

    /**
     * Applies the records that workers could not apply, and all records behind them, while the
     * workers are idle.
     */
    private void settleFailed() {
        List<DurableRecord> records = new ArrayList<>();
        failed.forEach(group -> records.addAll(group.records()));
        Optional<Failure> first = failed.getFirst().failure();
        failed.clear();
        workers.newAttempt();
        int done = 0;
        if (!state.isFailed()) {
            Failure failure = first.orElseThrow();
            done = failure.place();
            records.subList(0, done).forEach(applier::note);
            if (StoreWait.isOutage(failure.cause())) {
                List<DurableRecord> left = records.subList(done, records.size());
                List.copyOf(left.reversed()).forEach(unapplied::addFirst);
                storeWait = nextWait(left.getFirst().lsn(), failure.cause());
                settle(records.subList(0, done), done);
                return;
            }
            DurableRecord broken = records.get(done);
            Optional<TableShard> table = workers.table(broken);
            if (table.isPresent()) {
                damaged.setAside(table.get(), broken.lsn(), failure.cause(), broken.lsn());
                settle(records.subList(0, done), done);
                applyNow(records.subList(done, records.size()));
                return;
            }
            state.fail(stopped(broken.lsn(), failure.cause()));
        }
        settle(records, done);
    }

    /**
     * Applies the records that wait for the store, if it is time to try again; only while the
     * workers are idle.
     */
    void retryApply() {
        StoreWait waiting = storeWait;
        if (waiting != null && state.nowMillis() >= waiting.nextMillis()) {
            List<DurableRecord> records = List.copyOf(unapplied);
            unapplied.clear();
            applyNow(records);
        }
    }

    /** The shard stopped: fails the writes whose records are not applied, and those that wait. */
    void dropUnapplied() {
        List<DurableRecord> records = List.copyOf(unapplied);
        unapplied.clear();
        storeWait = null;
        answer(records, 0);
        resolver.afterApply();
    }

    /** The wait of the application of records for the store, if there is one; any thread. */
    Optional<StoreWait> storeWait() {
        return Optional.ofNullable(storeWait);
    }

    /** Whether nothing is being applied concurrently; only on the context. */
    boolean isAtRest() {
        return workers.atRest();
    }

    ApplyStatus status() {
        return new ApplyStatus(
                workers.count(), workers.inFlight(), pending.get(), load.allBarriers());
    }

    /** Applies records here, at rest; the first may have been tried before. */
    private void applyNow(List<DurableRecord> records) {
        int done = 0;
        StoreWait wait = null;
        if (!state.isFailed()) {
            try {
                for (int ahead = 0; done < records.size(); done++) {
                    if (done == ahead) {
                        ahead += applier.lookAhead(records.subList(done, records.size()));
                    }
                    apply(records.get(done));
                }
            } catch (IOException | RuntimeException | Error thrown) {
                Exception broken = StoreWait.exception(thrown);
                Lsn lsn = records.get(done).lsn();
                if (StoreWait.isOutage(broken)) {
                    wait = nextWait(lsn, broken);
                    unapplied.addAll(records.subList(done, records.size()));
                } else {
                    state.fail(stopped(lsn, broken));
                }
            } finally {
                applier.endAhead();
            }
        }
        storeWait = wait;
        settle(wait == null ? records : records.subList(0, done), done);
    }

    private void apply(DurableRecord record) throws IOException {
        if (workers.isPartial(record)) {
            workers.catchUp(record);
            applier.note(record);
        } else {
            applier.apply(record);
        }
    }

    private StoreWait nextWait(Lsn lsn, Exception cause) {
        return StoreWait.next(storeWait, state.id(), lsn, cause, state.nowMillis());
    }

    private SteleException stopped(Lsn lsn, Exception broken) {
        return new SteleException(
                broken instanceof SteleException known ? known.code() : ErrorCode.INTERNAL,
                "Shard %s stopped at LSN %s: %s".formatted(state.id(), lsn, broken),
                broken);
    }

    /**
     * Answers the writers of records: the first {@code done} are applied, the rest never will be.
     */
    private void settle(List<DurableRecord> records, int done) {
        if (done > 0) {
            applied.advance(records.get(done - 1).lsn());
        }
        answer(records, done);
        if (workers.atRest()) {
            resolver.afterApply();
        } else {
            resolver.afterParallelApply();
        }
        afterApply.run();
    }

    private void answer(List<DurableRecord> records, int done) {
        pending.addAndGet(-records.size());
        answers.send(records, done, state.failure());
    }
}
