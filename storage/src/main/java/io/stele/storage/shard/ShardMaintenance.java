package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.storage.manifest.Manifest;
import io.stele.storage.manifest.ManifestStore;
import io.stele.storage.tablet.IndexDrop;
import io.stele.storage.tablet.IndexView;
import io.stele.storage.tablet.ManifestChange;
import io.stele.storage.tablet.TableDroppedException;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableMaintenance;
import io.stele.storage.tablet.TableMaintenance.Work;
import io.stele.storage.tablet.TableShard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the memory and the files of one shard in shape: seals memtables by size, age and the node's
 * budget, flushes them, merges files, publishes manifests, and slows and stops the writers while
 * flushes and merges are behind.
 *
 * <p>Invariant: nothing is sealed while a record is applied in part, because the store does not
 * answer. Invariant: a table has at most one flush and one merge at work. Work that failed (a store
 * fault) is tried again at the next tick; until then memory stays and the log is kept.
 *
 * <p>Confined to the shard's execution context, except where said.
 */
public final class ShardMaintenance {
    // Memtables of one table that wait to be flushed, row files of level 0 that each read may have
    // to ask, and the share of the node's memory in use: where writes are slowed, and where they
    // stop. A merge begins at 4 files, so at 12 it is three flushes behind.
    private static final int SLOW_SEALED = 2;
    private static final int STOP_SEALED = 4;
    private static final int SLOW_LEVEL0 = 12;
    private static final int STOP_LEVEL0 = 24;
    private static final double SLOW_MEMORY = 0.8;

    private final TableGroupShard shard;
    private final ManifestPublisher publisher;
    private final TableFiles files;
    private final TableFiles mergeFiles;
    private final MaintenanceOptions options;
    private final MemoryBudget budget;
    private final History history;
    private final Executor flushing;
    private final Executor merging;
    private final Map<TableId, Table> tables = new HashMap<>();
    private boolean sealWaits; // for the lanes
    private volatile @Nullable String lastFailure;

    /**
     * @param mergeFiles how merges write their files
     * @param history what readers may still ask for
     * @param background stores manifests; may refuse when full, as the others may
     * @param flushing runs flushes
     * @param merging runs merges, which may take long
     */
    public ShardMaintenance(
            TableGroupShard shard,
            ManifestStore manifests,
            Manifest manifest,
            long epoch,
            TableFiles files,
            TableFiles mergeFiles,
            MaintenanceOptions options,
            MemoryBudget budget,
            History history,
            Executor background,
            Executor flushing,
            Executor merging,
            ObsoleteFiles obsolete) {
        this.shard = requireNonNull(shard, "shard is null");
        this.files = requireNonNull(files, "files is null");
        this.mergeFiles = requireNonNull(mergeFiles, "mergeFiles is null");
        this.options = requireNonNull(options, "options is null");
        this.budget = requireNonNull(budget, "budget is null");
        this.history = requireNonNull(history, "history is null");
        this.flushing = requireNonNull(flushing, "flushing is null");
        this.merging = requireNonNull(merging, "merging is null");
        this.publisher =
                new ManifestPublisher(
                        shard, manifests, manifest, epoch, files, background, obsolete);
    }

    /** Bytes that merges of a table have to read until its files are in shape; any thread. */
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

    /** What went wrong last in the background, if nothing has gone well since; any thread. */
    public Optional<String> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    /** Records were applied: seals what is full. */
    public void afterApply() {
        if (shard.failure().isPresent()) {
            publisher.fail(shard.failure().get());
            failWaiting();
            return;
        }
        boolean whole = shard.storeWait().isEmpty();
        if (whole && !shard.isAtRest()) {
            afterApplyInLanes();
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

    /**
     * The same while lanes apply records: if something is to be sealed, it has to wait for them.
     */
    private void afterApplyInLanes() {
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

    /** Some time has passed: seals what is old, tries again what failed, merges. */
    public void tick(long nowMillis) {
        shard.retryApply();
        for (TableShard table : shard.tables()) {
            Table state = state(table);
            if (shard.storeWait().isEmpty()
                    && nowMillis - table.activeSinceMillis() >= options.memTableAgeMillis()
                    && table.hasUnsealedChanges()) {
                table.seal(shard.appliedLsn().value());
            }
            startFlush(state);
            startCompaction(state);
        }
        publisher.retry();
        shard.retryConditional();
        afterApply();
    }

    /** Completes when everything the table has applied until now is in files. */
    public CompletableFuture<@Nullable Void> flush(TableId tableId) {
        Optional<TableShard> table = shard.findTable(tableId);
        if (table.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        if (shard.failure().isPresent()) {
            return CompletableFuture.failedFuture(shard.failure().get());
        }
        Table state = state(table.get());
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        state.flushWaiters.add(done);
        if (shard.storeWait().isPresent()) {
            state.sealAsked = true;
            return done;
        }
        table.get().seal(shard.appliedLsn().value());
        startFlush(state);
        completeFlushWaiters(state);
        return done;
    }

    /** Flushes, then merges until nothing is left to merge. */
    public CompletableFuture<@Nullable Void> compact(TableId tableId) {
        return afterFlush(tableId, state -> state.compactionWaiters);
    }

    /** Flushes, then sketches the files that have no sketches. */
    public CompletableFuture<@Nullable Void> analyze(TableId tableId) {
        return afterFlush(tableId, state -> state.sketchWaiters);
    }

    private CompletableFuture<@Nullable Void> afterFlush(
            TableId tableId, Function<Table, List<CompletableFuture<@Nullable Void>>> waiters) {
        return flush(tableId)
                .thenCompose(
                        flushed -> {
                            Optional<TableShard> table = shard.findTable(tableId);
                            CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
                            if (table.isEmpty()) {
                                done.complete(null);
                                return done;
                            }
                            Table state = state(table.get());
                            waiters.apply(state).add(done);
                            startCompaction(state);
                            return done;
                        });
    }

    /** A table has other indexes now: new ones take entries, the files of dropped ones go. */
    public void followIndexes(TableShard table) {
        table.followIndexes();
        IndexDrop drop = new IndexDrop(table);
        if (shard.findTable(table.schema().id()).isPresent()
                && drop.isNeeded(publisher.current())) {
            publisher.publish(drop);
        }
        afterApply();
    }

    /**
     * Puts finished work into the manifest; completes on the context when it is installed. Work
     * whose table or index is gone meanwhile is forgotten.
     */
    public CompletableFuture<@Nullable Void> publish(ManifestChange change) {
        if (shard.failure().isPresent()) {
            return CompletableFuture.failedFuture(shard.failure().get());
        }
        if (shard.findTable(change.table().schema().id()).isEmpty() || change.isObsolete()) {
            return CompletableFuture.completedFuture(null);
        }
        return publisher.publish(change);
    }

    /** A table was dropped: forgets its files. */
    public void dropTable(TableShard table) {
        Table state = tables.remove(table.schema().id());
        if (state != null) {
            completeAll(state.flushWaiters);
            completeAll(state.compactionWaiters);
            completeAll(state.sketchWaiters);
        }
        if (publisher.current().table(table.schema().id()).isPresent()
                || !publisher.current().files(table.schema().id()).isEmpty()) {
            publisher.publish(new TableDrop(table));
        }
        afterApply();
    }

    private void startFlush(Table state) {
        if (state.flushing || isDropped(state)) {
            return;
        }
        Optional<Work> work = state.maintenance.nextFlush(retentionLsn(state));
        if (work.isPresent()) {
            state.flushing = start(flushing, work.get(), failed -> endFlush(state, failed));
        }
    }

    private void endFlush(Table state, boolean failed) {
        state.flushing = false;
        completeFlushWaiters(state);
        if (!failed) {
            startFlush(state);
            startCompaction(state);
        }
        afterApply();
    }

    private void startCompaction(Table state) {
        if (state.compacting || isDropped(state)) {
            return;
        }
        boolean asked = !state.compactionWaiters.isEmpty();
        Optional<Work> sketches = nextSketches(state);
        Optional<Work> work =
                sketches.isPresent()
                        ? sketches
                        : state.maintenance.nextCompaction(retentionLsn(state), asked);
        if (work.isPresent()) {
            state.compacting = start(merging, work.get(), failed -> endCompaction(state, failed));
        } else {
            completeAll(state.compactionWaiters);
        }
    }

    // Before merges, and never beside one: it reads a file that a merge would take away.
    private static Optional<Work> nextSketches(Table state) {
        if (state.sketchWaiters.isEmpty()) {
            return Optional.empty();
        }
        Optional<Work> work = state.maintenance.nextSketches();
        if (work.isEmpty()) {
            completeAll(state.sketchWaiters);
        }
        return work;
    }

    private void endCompaction(Table state, boolean failed) {
        state.compacting = false;
        if (!failed) {
            startCompaction(state);
        }
        afterApply();
    }

    // Its work would not be published, so it would be there again and again.
    private static boolean isDropped(Table state) {
        return state.maintenance.table().isDropped();
    }

    private boolean start(Executor executor, Work work, java.util.function.Consumer<Boolean> end) {
        try {
            executor.execute(() -> run(work, end));
            return true;
        } catch (RejectedExecutionException full) {
            return false; // the next tick tries again
        }
    }

    /** On a background thread. */
    private void run(Work work, java.util.function.Consumer<Boolean> end) {
        try {
            ManifestChange change = work.run();
            shard.context().execute(() -> publish(change, end));
        } catch (TableDroppedException dropped) {
            shard.context().execute(() -> end.accept(false));
        } catch (IOException | RuntimeException failed) {
            shard.context()
                    .execute(
                            () -> {
                                lastFailure = failed.toString();
                                end.accept(true);
                            });
        }
    }

    private void publish(ManifestChange change, java.util.function.Consumer<Boolean> end) {
        if (shard.findTable(change.table().schema().id()).isEmpty() || change.isObsolete()) {
            end.accept(false); // dropped meanwhile; what was written is collected at the next start
            return;
        }
        publisher
                .publish(change)
                .whenComplete(
                        (installed, failed) -> {
                            lastFailure = failed == null ? null : failed.toString();
                            end.accept(failed != null);
                        });
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
            int level0 = TableShard.level0Count(table.view().rowFiles());
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
        shard.gate().setPressure(pressure);
    }

    private void failWaiting() {
        SteleException cause = shard.failure().orElseThrow();
        for (Table state : tables.values()) {
            List<CompletableFuture<@Nullable Void>> waiters = new ArrayList<>(state.flushWaiters);
            waiters.addAll(state.compactionWaiters);
            waiters.addAll(state.sketchWaiters);
            state.flushWaiters.clear();
            state.compactionWaiters.clear();
            state.sketchWaiters.clear();
            waiters.forEach(waiter -> waiter.completeExceptionally(cause));
        }
    }

    private static void completeFlushWaiters(Table state) {
        if (state.maintenance.table().sealedCount() == 0 && !state.sealAsked) {
            completeAll(state.flushWaiters);
        }
    }

    private static void completeAll(List<CompletableFuture<@Nullable Void>> waiters) {
        List<CompletableFuture<@Nullable Void>> done = new ArrayList<>(waiters);
        waiters.clear();
        done.forEach(waiter -> waiter.complete(null));
    }

    // A delete vector forgets up to here, so it must not pass what may still be applied.
    private long retentionLsn(Table state) {
        TableShard table = state.maintenance.table();
        Lsn horizon = history.horizon(table.schema());
        table.forgetExpired(horizon.value());
        return Math.min(horizon.value(), shard.appliedLsn().value());
    }

    private Table state(TableShard table) {
        return tables.computeIfAbsent(
                table.schema().id(), tableId -> new Table(maintenance(table)));
    }

    private TableMaintenance maintenance(TableShard table) {
        return new TableMaintenance(table, files, mergeFiles, options.targetFileBytes());
    }

    /** What is going on with one table. */
    private static final class Table {
        private final TableMaintenance maintenance;
        private final List<CompletableFuture<@Nullable Void>> flushWaiters = new ArrayList<>();
        private final List<CompletableFuture<@Nullable Void>> compactionWaiters = new ArrayList<>();
        private final List<CompletableFuture<@Nullable Void>> sketchWaiters = new ArrayList<>();
        private boolean flushing;
        private boolean sealAsked;
        private boolean compacting;

        private Table(TableMaintenance maintenance) {
            this.maintenance = maintenance;
        }
    }
}
