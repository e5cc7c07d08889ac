package io.stele.engine.shard.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.IndexDrop;
import io.stele.engine.compaction.ManifestChange;
import io.stele.engine.compaction.TableCompactionPlanner;
import io.stele.engine.compaction.TableCompactionPlanner.Compaction;
import io.stele.engine.compaction.TableCompactionPlanner.Work;
import io.stele.engine.compaction.WritersOnlyChange;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.index.IndexView;
import io.stele.engine.job.Progress;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.write.Pressure;
import io.stele.engine.tablet.TableDroppedException;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.LogSpace;
import io.stele.objectstore.JobWrites;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The background maintenance of the memory and the files of one shard. It seals memtables by size,
 * age and the node's budget, flushes them, compacts files and publishes manifests. It slows and
 * stops the writers while flushes and compactions are behind, or the disk of the log is nearly
 * full.
 *
 * <p>Invariant: nothing is sealed while a record is only partly applied because the store does not
 * answer. Invariant: a table has at most one flush and one compaction at work. Work that failed (a
 * store fault) is tried again after a pause; until then memory and the log are retained. Callers
 * that wait for the work are notified of the failure after some failed attempts ({@link
 * MaintenanceWaiters}).
 *
 * <p>Confined to the shard's execution context, except where noted.
 */
public final class ShardMaintenance {
    // Limits at which writes are slowed, and at which they stop. They count memtables of one table
    // that wait to be flushed, SST files of level 0 that each read may have to check, and the share
    // of the node's memory in use. A compaction starts at 4 files, so 12 are three compactions
    // behind.
    private static final int SLOW_SEALED = 2;
    private static final int STOP_SEALED = 4;
    private static final int SLOW_LEVEL0 = 12;
    private static final int STOP_LEVEL0 = 24;
    private static final double SLOW_MEMORY = 0.8;

    // Rows that a flush would write as many tiny files wait this many times the age of other
    // memtables. If the log is large they do not wait. A restart replays the log that they retain
    // in seconds.
    private static final int CRUMB_AGES = 15;
    private static final long CRUMB_LOG_BYTES = 256L << 20;

    // While the disk of the log is nearly full, flushes are what makes room: they do not wait for
    // the usual age, only long enough that small disks do not make a file of each row.
    private static final long SHORT_AGE_MILLIS = 5_000;

    private static final String FLUSHES_ARE_BEHIND = "flushes are behind";
    private static final String LOG_IS_FULL =
            "the disk of the write-ahead log is nearly full, or has less than the write needs";

    private final TableGroupShard shard;
    private final ManifestPublisher publisher;
    private final TableFiles files;
    private final TableFiles compactionFiles;
    private final MaintenanceOptions options;
    private final MemoryBudget budget;
    private final History history;
    private final Executor flushing;
    private final Executor merging;
    private final Map<TableId, Table> tables = new HashMap<>();
    private final MaintenanceListener listener;
    private final MaintenanceWork manifestWork;
    private final LongSupplier nowMillis;
    private boolean sealWaits; // for the apply workers
    private LogSpace logSpace = LogSpace.UNLIMITED; // of the last tick
    private @Nullable StoreWait reportedWait;
    private volatile List<MaintenanceFailure> failures = List.of();

    /**
     * @param compactionFiles reads and writes the files of compactions
     * @param history the history that readers may still read
     * @param nowMillis milliseconds since the epoch
     * @param listener is notified of failures
     * @param background stores manifests; may reject tasks when full, as the next two may
     * @param flushing runs flushes
     * @param merging runs compactions, which may take long
     */
    public ShardMaintenance(
            TableGroupShard shard,
            ManifestStore manifests,
            Manifest manifest,
            long epoch,
            TableFiles files,
            TableFiles compactionFiles,
            MaintenanceOptions options,
            MemoryBudget budget,
            History history,
            LongSupplier nowMillis,
            MaintenanceListener listener,
            Executor background,
            Executor flushing,
            Executor merging,
            ObsoleteFiles obsolete) {
        this.shard = requireNonNull(shard, "shard is null");
        this.files = requireNonNull(files, "files is null");
        this.compactionFiles = requireNonNull(compactionFiles, "compactionFiles is null");
        this.options = requireNonNull(options, "options is null");
        this.budget = requireNonNull(budget, "budget is null");
        this.history = requireNonNull(history, "history is null");
        this.flushing = requireNonNull(flushing, "flushing is null");
        this.merging = requireNonNull(merging, "merging is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.listener = requireNonNull(listener, "listener is null");
        this.manifestWork = new MaintenanceWork(shard.id());
        this.publisher =
                new ManifestPublisher(
                        shard,
                        manifests,
                        manifest,
                        epoch,
                        files,
                        background,
                        obsolete,
                        this::manifestFailed,
                        listener::ownershipLost);
    }

    /** Bytes that compactions of a table still have to read; any thread. */
    public long pendingBytes(TableShard table) {
        return maintenance(table).pendingBytes();
    }

    /** The version of the present manifest; any thread. */
    public long manifestVersion() {
        return publisher.version();
    }

    /** The present manifest. */
    public Manifest manifest() {
        return publisher.current();
    }

    /** The failures of background work without a success since; any thread. */
    public List<MaintenanceFailure> failures() {
        return failures;
    }

    /** Seals full memtables, after records were applied. */
    public void afterApply() {
        if (shard.failure().isPresent()) {
            publisher.fail(shard.failure().get());
            failWaiting();
            shard.releaseMemory();
            budget.report(shard.id(), 0);
            return;
        }
        forgetSetAside();
        boolean whole = shard.storeWait().isEmpty();
        if (whole && !shard.isAtRest()) {
            afterParallelApply();
            return;
        }
        if (whole) {
            sealAsked();
        }
        long shardBytes = 0;
        for (TableShard table : shard.tables()) {
            if (whole && isFull(table)) {
                table.seal(shard.appliedLsn().value());
                startFlush(state(table));
            }
            shardBytes += table.view().memoryBytes();
        }
        budget.report(shard.id(), shardBytes);
        if (whole && budget.isTight() && budget.holdsShare(shardBytes)) {
            sealLargest();
        }
        updateGate();
    }

    /** Tables that are set aside get no work, and callers that wait for it fail. */
    private void forgetSetAside() {
        for (TableId tableId : shard.setAside()) {
            Table state = tables.remove(tableId);
            Optional<SteleException> refusal = shard.refusal(tableId);
            if (state != null && refusal.isPresent()) {
                state.flushWaiters.fail(refusal.get());
                state.compactionWaiters.fail(refusal.get());
                state.sketchWaiters.fail(refusal.get());
                recovered(state.flushes);
                recovered(state.compactions);
                recovered(state.damagedCompactions);
            }
        }
    }

    /**
     * Checks the memtables while the apply workers are busy: sealing one waits until they are idle.
     */
    private void afterParallelApply() {
        long shardBytes = 0;
        boolean full = false;
        for (TableShard table : shard.tables()) {
            full |= isFull(table);
            shardBytes += table.view().memoryBytes();
        }
        budget.report(shard.id(), shardBytes);
        full |= budget.isTight() && budget.holdsShare(shardBytes);
        if (full && !sealWaits) {
            sealWaits = true;
            shard.context()
                    .execute(
                            () -> {
                                sealWaits = false;
                                afterApply();
                            });
        }
        updateGate();
    }

    private boolean isFull(TableShard table) {
        return table.activeBytes() >= options.memTableBytes();
    }

    /**
     * Called regularly: seals old memtables, repeats failed work, starts compactions.
     *
     * @param newLogSpace the space of the node's log
     */
    public void tick(long nowMillis, LogSpace newLogSpace) {
        logSpace = newLogSpace;
        shard.retryApply();
        reportStoreWait();
        for (TableShard table : shard.tables()) {
            Table state = state(table);
            if (shard.storeWait().isEmpty()
                    && nowMillis - table.activeSinceMillis() >= maxAgeMillis(state)
                    && table.hasUnsealedChanges()) {
                table.seal(shard.appliedLsn().value());
            }
            startFlush(state);
            startCompaction(state);
        }
        if (manifestWork.mayStart(nowMillis)) {
            publisher.retry();
        }
        saveWriters(nowMillis);
        shard.retryConditional();
        afterApply();
    }

    /**
     * If nothing else needs a flush, the outcomes of writers would retain the node's log for as
     * long as writers may repeat batches.
     */
    private void saveWriters(long nowMillis) {
        OptionalLong since = shard.heldForWritersSince();
        boolean isOld = since.isPresent() && nowMillis - since.getAsLong() >= memTableAgeMillis();
        if (isOld && publisher.isIdle() && shard.failure().isEmpty()) {
            shard.tables().stream()
                    .findFirst()
                    .ifPresent(table -> store(new WritersOnlyChange(table)));
        }
    }

    private long maxAgeMillis(Table state) {
        boolean waits =
                logSpace.usedBytes() < Math.min(CRUMB_LOG_BYTES, logSpace.usableBytes())
                        && !logSpace.isShort()
                        && state.maintenance.flushesCrumbs();
        return memTableAgeMillis() * (waits ? CRUMB_AGES : 1);
    }

    private long memTableAgeMillis() {
        long usual = options.memTableAgeMillis();
        return logSpace.isShort() ? Math.min(usual, SHORT_AGE_MILLIS) : usual;
    }

    /**
     * Completes when everything the table has applied until now is in files. Like {@link #compact}
     * and {@link #analyze}, it fails after {@value MaintenanceWaiters#MAX_FAILURES} failed
     * attempts, or after one that no retry can fix; the work is still repeated. When cancelled it
     * ends with CANCELLED. Sealed memtables are flushed nevertheless; a compaction without another
     * waiter stops, and its files are deleted.
     *
     * @param progress stops it
     */
    public CompletableFuture<@Nullable Void> flush(TableId tableId, Progress progress) {
        CompletableFuture<@Nullable Void> flushed = startFlush(tableId, progress);
        progress.whenCancelled(() -> shard.context().execute(() -> cancel(tableId, progress)));
        return flushed;
    }

    private void cancel(TableId tableId, Progress progress) {
        Table state = tables.get(tableId);
        if (state != null) {
            state.flushWaiters.cancel(progress);
            state.compactionWaiters.cancel(progress);
            state.sketchWaiters.cancel(progress);
            state.compactionRun.ifPresent(CompactionRun::stopIfUnwanted);
        }
    }

    private CompletableFuture<@Nullable Void> startFlush(TableId tableId, Progress progress) {
        Optional<SteleException> refusal = shard.refusal(tableId);
        if (refusal.isPresent()) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        Optional<TableShard> table = shard.findTable(tableId);
        if (table.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        if (shard.failure().isPresent()) {
            return CompletableFuture.failedFuture(shard.failure().get());
        }
        Table state = state(table.get());
        CompletableFuture<@Nullable Void> done = state.flushWaiters.add(progress);
        if (shard.storeWait().isPresent()) {
            state.sealAsked = true;
            return done;
        }
        table.get().seal(shard.appliedLsn().value());
        state.flushes.ask();
        startFlush(state);
        completeFlushWaiters(state);
        return done;
    }

    /** Flushes, then compacts until no compaction is due; counts bytes. */
    public CompletableFuture<@Nullable Void> compact(TableId tableId, Progress progress) {
        return afterFlush(tableId, progress, state -> state.compactionWaiters);
    }

    /** Flushes, then sketches the files that have no sketches; counts bytes. */
    public CompletableFuture<@Nullable Void> analyze(TableId tableId, Progress progress) {
        return afterFlush(tableId, progress, state -> state.sketchWaiters);
    }

    private CompletableFuture<@Nullable Void> afterFlush(
            TableId tableId, Progress progress, Function<Table, MaintenanceWaiters> waiters) {
        return flush(tableId, progress)
                .thenCompose(
                        flushed -> {
                            Optional<TableShard> table = shard.findTable(tableId);
                            if (table.isEmpty()) {
                                return CompletableFuture.<@Nullable Void>completedFuture(null);
                            }
                            Table state = state(table.get());
                            CompletableFuture<@Nullable Void> done =
                                    waiters.apply(state).add(progress);
                            state.compactions.ask();
                            startCompaction(state);
                            return done;
                        });
    }

    /**
     * Follows changed indexes of a table: new indexes receive entries, and the files of dropped
     * indexes are removed.
     */
    public void followIndexes(TableShard table) {
        table.followIndexes();
        IndexDrop drop = new IndexDrop(table);
        if (shard.findTable(table.schema().id()).isPresent()
                && drop.isNeeded(publisher.current())) {
            store(drop);
        }
        afterApply();
    }

    /**
     * Puts finished work into the manifest; completes on the context when it is installed. Work
     * whose table or index is gone meanwhile is dropped.
     */
    public CompletableFuture<@Nullable Void> publish(ManifestChange change) {
        if (shard.failure().isPresent()) {
            return CompletableFuture.failedFuture(shard.failure().get());
        }
        Optional<SteleException> refusal = shard.refusal(change.table().schema().id());
        if (refusal.isPresent()) {
            return CompletableFuture.failedFuture(refusal.get());
        }
        if (shard.findTable(change.table().schema().id()).isEmpty() || change.isObsolete()) {
            return CompletableFuture.completedFuture(null);
        }
        return store(change);
    }

    /** A table was dropped: drops its state and its files. */
    public void dropTable(TableShard table) {
        Table state = tables.remove(table.schema().id());
        if (state != null) {
            state.flushWaiters.complete();
            state.compactionWaiters.complete();
            state.sketchWaiters.complete();
            recovered(state.flushes);
            recovered(state.compactions);
            recovered(state.damagedCompactions);
        }
        if (publisher.current().table(table.schema().id()).isPresent()
                || !publisher.current().files(table.schema().id()).isEmpty()) {
            store(new TableDrop(table));
        }
        afterApply();
    }

    private void startFlush(Table state) {
        if (!state.flushes.mayStart(nowMillis.getAsLong()) || isDropped(state)) {
            return;
        }
        Optional<Work> work = state.maintenance.nextFlush(retentionLsn(state));
        if (work.isPresent()) {
            start(
                    flushing,
                    work.get(),
                    files,
                    new JobWrites(_ -> {}),
                    state.flushes,
                    cause -> failed(state, state.flushes, cause),
                    failed -> endFlush(state, failed));
        }
    }

    private void endFlush(Table state, boolean failed) {
        completeFlushWaiters(state);
        if (!failed) {
            startFlush(state);
            startCompaction(state);
        }
        afterApply();
    }

    private void startCompaction(Table state) {
        if (!state.compactions.mayStart(nowMillis.getAsLong()) || isDropped(state)) {
            return;
        }
        if (!state.maintenance.hasHeldBack()) {
            recovered(state.damagedCompactions);
        }
        Optional<Compaction> sketches = nextSketches(state);
        if (sketches.isPresent()) {
            startMerging(
                    state,
                    sketches.get(),
                    state.sketchWaiters,
                    cause -> failed(state, state.compactions, cause));
            return;
        }
        boolean asked = !state.compactionWaiters.isEmpty();
        Optional<Compaction> compaction =
                state.maintenance.nextCompaction(retentionLsn(state), asked, nowMillis.getAsLong());
        if (compaction.isPresent()) {
            startMerging(
                    state,
                    compaction.get(),
                    state.compactionWaiters,
                    cause -> failed(state, compaction.get(), cause));
        } else {
            recovered(state.compactions);
            state.compactionWaiters.complete();
        }
    }

    private void startMerging(
            Table state,
            Compaction compaction,
            MaintenanceWaiters waiters,
            Consumer<Exception> failure) {
        CompactionRun run = new CompactionRun(compaction, waiters);
        boolean isStarted =
                start(
                        merging,
                        compaction.work(),
                        compactionFiles,
                        run.writes(),
                        state.compactions,
                        failure,
                        failed -> {
                            state.compactionRun = Optional.empty();
                            run.end(!failed && !run.writes().isStopped());
                            endCompaction(state, failed);
                        });
        if (isStarted) {
            state.compactionRun = Optional.of(run);
        } else {
            run.end(false);
        }
    }

    // Sketches precede compactions, and never run beside one: they read a file that a compaction
    // would replace.
    private static Optional<Compaction> nextSketches(Table state) {
        if (state.sketchWaiters.isEmpty()) {
            return Optional.empty();
        }
        Optional<Compaction> sketches = state.maintenance.nextSketches();
        if (sketches.isEmpty()) {
            state.sketchWaiters.complete();
        }
        return sketches;
    }

    private void endCompaction(Table state, boolean failed) {
        if (!failed) {
            startCompaction(state);
        }
        afterApply();
    }

    // The work of a dropped table is not published, so it would be due again and again.
    private static boolean isDropped(Table state) {
        return state.maintenance.table().isDropped();
    }

    /** Starts work on an executor; false if that is full: then the next tick tries again. */
    private boolean start(
            Executor executor,
            Work work,
            TableFiles to,
            JobWrites writes,
            MaintenanceWork kind,
            Consumer<Exception> failure,
            Consumer<Boolean> end) {
        try {
            executor.execute(() -> run(work, to, writes, kind, failure, end));
            kind.setRunning(true);
            return true;
        } catch (RejectedExecutionException full) {
            return false;
        }
    }

    /** On a background thread. */
    private void run(
            Work work,
            TableFiles to,
            JobWrites writes,
            MaintenanceWork kind,
            Consumer<Exception> failure,
            Consumer<Boolean> end) {
        try {
            ManifestChange change = work.run(to.of(writes));
            shard.context().execute(() -> publish(change, kind, end));
        } catch (TableDroppedException dropped) {
            shard.context().execute(() -> end(kind, end, false));
        } catch (IOException | RuntimeException | Error failed) {
            if (writes.isStopped()) {
                files.discard(writes);
                shard.context().execute(() -> end(kind, end, false));
                return;
            }
            Exception cause = StoreWait.exception(failed);
            shard.context()
                    .execute(
                            () -> {
                                failure.accept(cause);
                                end(kind, end, true);
                            });
        }
    }

    private static void end(MaintenanceWork kind, Consumer<Boolean> end, boolean failed) {
        kind.setRunning(false);
        end.accept(failed);
    }

    private void publish(ManifestChange change, MaintenanceWork kind, Consumer<Boolean> end) {
        if (shard.findTable(change.table().schema().id()).isEmpty() || change.isObsolete()) {
            // dropped meanwhile; what was written is collected at the next start
            end(kind, end, false);
            return;
        }
        kind.setPublishing(true);
        store(change)
                .whenComplete(
                        (installed, failed) -> {
                            kind.setPublishing(false);
                            if (failed == null) {
                                recovered(kind);
                            }
                            end(kind, end, failed != null);
                        });
    }

    /** Completes on the context when the change is installed. */
    private CompletableFuture<@Nullable Void> store(ManifestChange change) {
        return publisher
                .publish(change)
                .whenComplete(
                        (installed, failed) -> {
                            if (failed == null) {
                                recovered(manifestWork);
                            }
                        });
    }

    /** If no retry can fix a compaction, its files are excluded from compactions for a while. */
    private void failed(Table state, Compaction compaction, Exception cause) {
        boolean isHeldBack =
                !StoreWait.isOutage(cause)
                        && state.maintenance.holdBack(
                                compaction, MaintenanceWork.text(cause), nowMillis.getAsLong());
        failed(state, isHeldBack ? state.damagedCompactions : state.compactions, cause);
    }

    private void failed(Table state, MaintenanceWork kind, Exception cause) {
        String name = state.maintenance.table().schema().qualifiedName();
        String work = (kind == state.flushes ? "flush of " : "merge of ") + name;
        listener.failed(kind.failed(work, cause, nowMillis.getAsLong()));
        collectFailures();
    }

    /** Reports a manifest that failed; changes that wait for it continue to wait. */
    private void manifestFailed(Exception cause) {
        MaintenanceFailure failure = manifestWork.failed("manifest", cause, nowMillis.getAsLong());
        listener.failed(failure);
        collectFailures();
        for (Table state : List.copyOf(tables.values())) {
            for (MaintenanceWork kind : List.of(state.flushes, state.compactions)) {
                if (kind.isPublishing()) {
                    kind.failWaiters(failure, cause);
                }
            }
        }
    }

    private void recovered(MaintenanceWork kind) {
        kind.recovered()
                .ifPresent(
                        last -> {
                            listener.recovered(last);
                            collectFailures();
                        });
    }

    private void collectFailures() {
        List<MaintenanceFailure> found = new ArrayList<>();
        manifestWork.failure().ifPresent(found::add);
        for (Table state : tables.values()) {
            state.flushes.failure().ifPresent(found::add);
            state.compactions.failure().ifPresent(found::add);
            state.damagedCompactions.failure().ifPresent(found::add);
        }
        failures = List.copyOf(found);
    }

    /**
     * Counts a failed attempt for requested flushes that wait for a record which cannot be applied.
     */
    private void reportStoreWait() {
        StoreWait wait = shard.storeWait().orElse(null);
        if (wait == null || wait.equals(reportedWait)) {
            return;
        }
        reportedWait = wait;
        SteleException refusal =
                new SteleException(
                        ErrorCode.STORE_FAILED,
                        "Expected all records before the flush to be applied, found: "
                                + wait.describe());
        for (Table state : List.copyOf(tables.values())) {
            if (state.sealAsked) {
                state.flushWaiters.failed(refusal, false);
            }
        }
    }

    /** Seals what should have been sealed while a record was applied in part. */
    private void sealAsked() {
        for (Table state : tables.values()) {
            if (state.sealAsked) {
                state.sealAsked = false;
                state.maintenance.table().seal(shard.appliedLsn().value());
                startFlush(state);
                completeFlushWaiters(state);
            }
        }
    }

    private void sealLargest() {
        TableShard largest = null;
        for (TableShard table : shard.tables()) {
            if (largest == null || table.activeBytes() > largest.activeBytes()) {
                largest = table;
            }
        }
        boolean idle = largest != null && largest.sealedCount() == 0 && largest.activeBytes() > 0;
        if (largest != null && idle) {
            largest.seal(shard.appliedLsn().value());
            startFlush(state(largest));
        }
    }

    private void updateGate() {
        Pressure pressure = Pressure.of(budget.usedShare(), SLOW_MEMORY, 1);
        if (shard.storeWait().isPresent()) {
            pressure = Pressure.STOP; // what is logged now would only wait in memory
        }
        for (TableShard table : shard.tables()) {
            int level0 = TableShard.level0Count(table.view().sstFiles());
            for (IndexView index : table.view().indexes()) {
                // while an index is being built its files wait for that
                level0 =
                        Math.max(
                                level0,
                                index.complete() ? TableShard.level0Count(index.files()) : 0);
            }
            pressure =
                    pressure.max(Pressure.of(table.sealedCount(), SLOW_SEALED, STOP_SEALED))
                            .max(Pressure.of(level0, SLOW_LEVEL0, STOP_LEVEL0));
        }
        Pressure ofLog = new Pressure(logSpace.shortage());
        boolean isOfLog = logSpace.isFull() || ofLog.level() > pressure.level();
        shard.gate().setPressure(pressure.max(ofLog), isOfLog ? LOG_IS_FULL : FLUSHES_ARE_BEHIND);
    }

    private void failWaiting() {
        SteleException cause = shard.failure().orElseThrow();
        for (Table state : List.copyOf(tables.values())) {
            state.flushWaiters.fail(cause);
            state.compactionWaiters.fail(cause);
            state.sketchWaiters.fail(cause);
        }
    }

    // A table that is set aside has no memtables left either, and its rows are in no files
    private static void completeFlushWaiters(Table state) {
        TableShard table = state.maintenance.table();
        if (table.sealedCount() == 0 && !state.sealAsked && !table.isDropped()) {
            state.flushWaiters.complete();
        }
    }

    // A deletion vector drops deletions up to here, so it must not exceed what may still be
    // applied.
    private long retentionLsn(Table state) {
        TableShard table = state.maintenance.table();
        Lsn horizon = history.horizon(table.schema());
        table.forgetExpired(horizon.value());
        return Math.min(horizon.value(), shard.appliedLsn().value());
    }

    private Table state(TableShard table) {
        return tables.computeIfAbsent(
                table.schema().id(), tableId -> new Table(shard.id(), maintenance(table)));
    }

    private TableCompactionPlanner maintenance(TableShard table) {
        return new TableCompactionPlanner(table, options.targetFileBytes());
    }

    /** The running work of one table. */
    private static final class Table {
        private final TableCompactionPlanner maintenance;
        private final MaintenanceWaiters flushWaiters = new MaintenanceWaiters();
        private final MaintenanceWaiters compactionWaiters = new MaintenanceWaiters();
        private final MaintenanceWaiters sketchWaiters = new MaintenanceWaiters();
        private final MaintenanceWork flushes;
        private final MaintenanceWork compactions; // and sketches
        private final MaintenanceWork
                damagedCompactions; // reported, while other compactions continue
        private Optional<CompactionRun> compactionRun = Optional.empty();
        private boolean sealAsked;

        private Table(ShardId shard, TableCompactionPlanner maintenance) {
            this.maintenance = maintenance;
            this.flushes = new MaintenanceWork(shard, flushWaiters);
            this.compactions = new MaintenanceWork(shard, compactionWaiters, sketchWaiters);
            this.damagedCompactions = new MaintenanceWork(shard, compactionWaiters, sketchWaiters);
        }
    }
}
