package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.orc.ColumnFileReaders;
import io.stele.columnfile.orc.ColumnPointReader;
import io.stele.columnfile.orc.DecodedColumns;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogListener;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.CatalogStore;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.garbage.FileCollector;
import io.stele.engine.garbage.OrphanSearch;
import io.stele.engine.job.Jobs;
import io.stele.engine.maintenance.IndexBuilds;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.node.EngineClock;
import io.stele.engine.node.EngineLog;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.ManifestStores;
import io.stele.engine.node.Shards;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.node.WriteBudget;
import io.stele.engine.recovery.DroppedObjects;
import io.stele.engine.recovery.EpochAllocator;
import io.stele.engine.recovery.FileOpenings;
import io.stele.engine.recovery.LostTables;
import io.stele.engine.recovery.Recovery;
import io.stele.engine.recovery.RetainedLog;
import io.stele.engine.recovery.ServingStore;
import io.stele.engine.recovery.StartStore;
import io.stele.engine.recovery.StartTask;
import io.stele.engine.recovery.StoredDeletes;
import io.stele.engine.recovery.WarehouseLog;
import io.stele.engine.row.RowCache;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.engine.transaction.CommittedTransactions;
import io.stele.engine.transaction.Coordinator;
import io.stele.engine.transaction.DecisionCollector;
import io.stele.engine.transaction.DecisionStore;
import io.stele.engine.transaction.Retries;
import io.stele.engine.transaction.SavedOutcomeStore;
import io.stele.engine.transaction.StagedTables;
import io.stele.engine.transaction.Transactions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LogFiles;
import io.stele.engine.wal.LogId;
import io.stele.engine.wal.LogMark;
import io.stele.engine.wal.RecoveredLog;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The start of a node's storage engine: it loads manifests and the catalog, replays the log,
 * resolves in-doubt transactions, and assembles the engine's parts. It first fences engines with a
 * lower epoch, and blocks on the store.
 */
final class EngineAssembly {
    private static final long OWNER = 0x5354454c45L; // "STELE"; the other half is the epoch

    private EngineAssembly() {}

    /** As {@link StorageEngine#open}. */
    static StorageEngine open(
            StorageOptions options,
            ObjectStore store,
            LogFiles log,
            HybridClock clock,
            EngineThreads threads)
            throws IOException {
        requireNonNull(options, "options is null");
        EngineClock time = new EngineClock(clock);
        StartStore warehouse =
                new StartStore(
                        new ServingStore(store, time::nowMillis), threads.background()::pause);
        EpochAllocator epochs = new EpochAllocator(warehouse);
        long first = epochs.take(clock);
        UUID owner = new UUID(first, OWNER);
        StartTask<DroppedObjects> dropped =
                StartTask.begin(threads.opening(), () -> DroppedObjects.load(warehouse));
        StartTask<List<String>> dataFolders =
                StartTask.begin(
                        threads.opening(), () -> warehouse.folders(DroppedObjects.DATA_FOLDER));
        CatalogService catalog =
                CatalogService.open(
                        new CatalogStore(warehouse, owner),
                        options.retention().toMillis(),
                        clock::next,
                        threads.catalog()::pause,
                        threads.uncaught());
        DecisionStore decisions = new DecisionStore(warehouse);
        ManifestStores manifestStores =
                new ManifestStores(warehouse, owner, options.manifestChanges());
        Recovery recovery =
                new Recovery(
                        catalog,
                        decisions,
                        clock,
                        manifestStores,
                        dropped.get(),
                        threads.opening());
        SortedMap<ShardId, Manifest> manifests = recovery.loadManifests();
        WarehouseLog warehouseLog = new WarehouseLog(warehouse, owner);
        recovery.checkCatalogIsNewest(manifests, warehouseLog::isBegun);
        // Earlier releases did not take epochs from the store: their manifests may have one of a
        // clock that was ahead
        boolean isNewest =
                manifests.values().stream().allMatch(manifest -> manifest.epoch() < first);
        long epoch = isNewest ? first : epochs.take(clock);
        // First stop appends by engines of a lower epoch, then their changes of tables, then their
        // new files: the state read after each of these steps does not change any more
        LogMark expected =
                recovery.takeLog(
                        log,
                        epoch,
                        () ->
                                warehouseLog.find(
                                        log,
                                        manifests.values(),
                                        epoch,
                                        catalog.current().nextTableId() == 1,
                                        options.givenUpLog()));
        // Listed when the other engines no longer trim the log, which adds retained records
        StartTask<RetainedLog> retainedObjects =
                StartTask.begin(threads.opening(), () -> RetainedLog.load(warehouse));
        catalog.own(epoch, recovery.givenUpCatalogs());
        recovery.resolveStagedTables();
        LostTables lost = recovery.lostTables();
        lost.find(warehouse, dataFolders.get(), time.nowMillis());
        recovery.loadMissing(manifests);
        TableFiles files =
                new TableFiles(
                        warehouse,
                        new BlockCache(
                                "row-blocks", options.caches().rowBlockBytes(), threads.nanoTime()),
                        new BlockCache(
                                "key-indexes",
                                options.caches().keyIndexBytes(),
                                threads.nanoTime()),
                        new ColumnFileReaders(
                                "footers",
                                options.caches().footerBytes(),
                                threads.nanoTime(),
                                threads.uncaught()),
                        new ColumnPointReader(
                                "row-groups", options.caches().rowGroupBytes(), threads.nanoTime()),
                        new DecodedColumns(
                                "decoded-columns",
                                options.caches().decodedColumnBytes(),
                                threads.nanoTime()),
                        new RowCache("rows", options.caches().rowBytes(), threads.nanoTime()),
                        new FileIds(epoch));
        SnapshotRegistry snapshots =
                new SnapshotRegistry(
                        time::nowMillis,
                        time::expiryMillis,
                        options.history(!catalog.current().tables().isEmpty()),
                        Long.toHexString(epoch) + "-");
        FileCollector collector =
                new FileCollector(files, snapshots.readers(), options.collectionGrace());
        Shards shards =
                new Shards(
                        options, threads, files, snapshots, collector, time, epoch, manifestStores);
        StoredDeletes deletes = new StoredDeletes(files, threads.opening());
        try {
            restore(recovery, shards, recovery.own(manifests.values(), epoch), deletes);
        } finally {
            deletes.giveUp(); // those not used by restored tables are not needed
        }
        shards.all().stream()
                .flatMap(entry -> entry.shard().tables().stream())
                .forEach(
                        table ->
                                snapshots.restore(
                                        table.schema().id(), new Lsn(table.historyLsn())));
        recovery.addDamaged(shards);
        RetainedLog retainedLog = retainedObjects.get();
        CommittedTransactions committed =
                new CommittedTransactions(new SavedOutcomeStore(warehouse), epoch);
        RecoveredLog recovered =
                recovery.replay(log, expected, options, shards, retainedLog, committed);
        if (recovery.hasLog()) {
            warehouseLog.begin(recovered);
        }
        shards.passOver(recovery.unknownShards(), lost.retainedRecords());
        warehouse.checkDamaged();
        clock.beginExpiry();
        EngineLog engineLog = new EngineLog(recovered, shards, threads);
        Set<TableId> inDoubt = shards.tablesInDoubt();
        CompletableFuture<@Nullable Void> resolved =
                recovery.resolveInDoubt(shards, engineLog, epoch);
        Optional<OrphanSearch> orphans = Optional.empty();
        if (catalog.damage().isEmpty()) {
            Set<String> unknown = unknownFolders(catalog.current(), shards);
            Predicate<String> lostFolders = lost.inLostFolder();
            orphans =
                    Optional.of(
                            new OrphanSearch(
                                    warehouse,
                                    DroppedObjects.DATA_FOLDER,
                                    folder -> lostFolders.test(folder) || unknown.contains(folder),
                                    filesInUse(shards),
                                    collector,
                                    time::nowMillis,
                                    epoch));
            lost.leaveOut(warehouse, shards.lostTables(), inDoubt);
        }
        shards.all().forEach(entry -> start(entry, engineLog));
        Retries retries = new Retries(time::nowMillis, threads.uncaught());
        FileOpenings openings = new FileOpenings(time::nowMillis, retries, threads.openingLater());
        Coordinator coordinator =
                new Coordinator(
                        shards,
                        engineLog,
                        decisions,
                        catalog,
                        retries,
                        threads.deciding(),
                        threads.catalog(),
                        threads.openingLater(),
                        committed,
                        options.onePhaseBytes(),
                        options.transactionBytes(),
                        threads.uncaught(),
                        epoch);
        DecisionCollector decisionCollector =
                new DecisionCollector(
                        decisions,
                        threads.deleting(),
                        time::nowMillis,
                        threads.uncaught(),
                        () ->
                                resolved.isDone()
                                        && !resolved.isCompletedExceptionally()
                                        && !recovery.hasUnreadableDecisions()
                                        && shards.all().stream()
                                                // A stopped shard may have in-doubt transactions
                                                .allMatch(
                                                        entry -> entry.shard().failure().isEmpty()),
                        epoch);
        WriteBudget budget = new WriteBudget(options.pendingWriteBytes());
        Transactions transactions =
                new Transactions(
                        options,
                        budget,
                        time,
                        shards,
                        catalog,
                        coordinator,
                        decisions,
                        collector,
                        snapshots,
                        threads,
                        new StagedTables(catalog, threads.catalog(), threads.uncaught()),
                        decisionCollector,
                        committed,
                        () ->
                                recovery.logDamage()
                                        .or(warehouseLog::givenUp)
                                        .or(() -> logFailure(engineLog)),
                        files,
                        epoch);
        Jobs jobs = new Jobs(Long.toHexString(epoch) + "-", time::nowMillis);
        IndexBuilds indexBuilds =
                new IndexBuilds(
                        jobs,
                        shards,
                        catalog,
                        snapshots,
                        files,
                        threads.merging(),
                        threads.catalog(),
                        options.targetFileBytes());
        catalog.addListener(
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        shards.expect(before, after, entry -> start(entry, engineLog));
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        shards.follow(before, after);
                        indexBuilds.follow(after);
                    }
                });
        indexBuilds.follow(catalog.current());
        warehouse.serve();
        snapshots.serve();
        openings.begin(shards.all().stream().map(Shards.Entry::shard).toList());
        orphans.ifPresent(
                search ->
                        retries.untilDone(
                                "find unused files", threads.openingLater(), search::run));
        return new StorageEngine(
                options,
                threads,
                time,
                clock,
                catalog,
                shards,
                engineLog,
                retainedLog,
                files,
                snapshots,
                collector,
                transactions,
                budget,
                retries,
                decisionCollector,
                committed,
                indexBuilds,
                jobs,
                lost,
                openings,
                orphans,
                recovery.hasLog()
                        ? Optional.of(history(warehouse, expected.logId(), dropped.get()))
                        : Optional.empty(),
                epoch);
    }

    private static Optional<SteleException> logFailure(EngineLog log) {
        return log.status().failed()
                ? Optional.of(
                        new SteleException(
                                ErrorCode.STORE_FAILED,
                                "The write-ahead log has failed: the next start finds out what it has"))
                : Optional.empty();
    }

    private static String history(ObjectStore warehouse, LogId log, DroppedObjects dropped) {
        return "warehouse %s, log %s, dropped %s"
                .formatted(warehouse.describe(""), log, dropped.digest());
    }

    private static void restore(
            Recovery recovery, Shards shards, List<Manifest> manifests, StoredDeletes deletes)
            throws IOException {
        Map<TableGroupShard, Manifest> owned = new LinkedHashMap<>();
        for (Manifest manifest : manifests) {
            TableGroupShard shard = shards.add(manifest).shard();
            owned.put(shard, manifest);
            recovery.addTables(shard, manifest);
            for (TableShard table : shard.tables()) {
                deletes.read(manifest.files(table.schema().id()));
            }
        }
        for (Map.Entry<TableGroupShard, Manifest> entry : owned.entrySet()) {
            recovery.restore(entry.getKey(), entry.getValue(), deletes);
        }
    }

    private static void start(Shards.Entry entry, EngineLog log) {
        entry.shard().start(log, () -> entry.maintenance().afterApply());
    }

    /**
     * The folders of tables whose files are not known from a view, since a shard stopped or set the
     * table aside.
     */
    private static Set<String> unknownFolders(Catalog catalog, Shards shards) {
        Set<String> folders = new HashSet<>();
        for (Shards.Entry entry : shards.all()) {
            TableGroupShard shard = entry.shard();
            Set<TableId> setAside = Set.copyOf(shard.setAside());
            for (TableEntry table : catalog.tables()) {
                TableId id = table.schema().id();
                if (shard.failure().isPresent() || setAside.contains(id)) {
                    folders.add(FileIds.folder(id, shard.id()));
                }
            }
        }
        return folders;
    }

    /** The files that tables and prepared transactions have now. */
    private static Supplier<Stream<FileEntry>> filesInUse(Shards shards) {
        List<TableView> views = new ArrayList<>();
        List<FileEntry> prepared = new ArrayList<>();
        for (Shards.Entry entry : shards.all()) {
            entry.shard().tables().forEach(table -> views.add(table.view()));
            entry.shard().inDoubt().forEach(part -> prepared.addAll(part.files()));
        }
        return () -> Stream.concat(views.stream().flatMap(TableView::files), prepared.stream());
    }
}
