package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.catalog.TableGroup;
import io.stele.engine.catalog.TableState;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.manifest.TableProgress;
import io.stele.engine.manifest.WritersObject;
import io.stele.engine.node.EngineLog;
import io.stele.engine.node.ManifestStores;
import io.stele.engine.node.Shards;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.row.TableVersions;
import io.stele.engine.shard.Damage;
import io.stele.engine.shard.FailedFile;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.record.LoggedRecord;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.shard.record.TransactionRecords;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.transaction.CommittedTransactions;
import io.stele.engine.transaction.Decision;
import io.stele.engine.transaction.DecisionStore;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LogFiles;
import io.stele.engine.wal.LogHold;
import io.stele.engine.wal.LogMark;
import io.stele.engine.wal.LogPosition;
import io.stele.engine.wal.OtherLogException;
import io.stele.engine.wal.RecordType;
import io.stele.engine.wal.RecoveredLog;
import io.stele.engine.wal.UnusableLogFiles;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The recovery of an engine at its start: it loads and takes over the shards' manifests, replays
 * the log into memory, and ends undecided transactions. One thread; nothing serves meanwhile.
 */
public final class Recovery {
    private static final int OWNERSHIP_ATTEMPTS =
            8; // each lost one means that another engine is starting at this moment

    private final CatalogService catalog;
    private final DecisionStore decisions;
    private final HybridClock clock;
    private final ManifestStores manifestStores;
    private final DroppedObjects dropped;
    private final LostTables lost;
    private final Executor opening;

    /** Shards whose manifest cannot be used, and why. */
    private final Map<ShardId, Exception> damaged = new TreeMap<>();

    /** Why the log cannot be read, if it cannot. */
    private Optional<SteleException> unusableLog = Optional.empty();

    /** Why a COMMIT record in the log cannot be decoded, if there is one. */
    private Optional<SteleException> unreadableCommit = Optional.empty();

    private final Set<ShardId> unknown = new HashSet<>(); // with records in the log
    private boolean hasUnreadableDecisions;

    public Recovery(
            CatalogService catalog,
            DecisionStore decisions,
            HybridClock clock,
            ManifestStores manifestStores,
            DroppedObjects dropped,
            Executor opening) {
        this.opening = requireNonNull(opening, "opening is null");
        this.lost = new LostTables(catalog, dropped);
        this.dropped = requireNonNull(dropped, "dropped is null");
        this.manifestStores = requireNonNull(manifestStores, "manifestStores is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.decisions = requireNonNull(decisions, "decisions is null");
        this.clock = requireNonNull(clock, "clock is null");
    }

    /**
     * Publishes staged tables whose transaction was committed, unless their name was taken
     * meanwhile. Drops the other staged tables, which remain from statements that never ended.
     */
    public void resolveStagedTables() throws IOException {
        hasUnreadableDecisions = catalog.damage().isPresent(); // their tables are unknown
        Set<TableId> staged = new HashSet<>();
        for (TableEntry entry : catalog.current().tables()) {
            if (entry.state().isStaged()) {
                staged.add(entry.schema().id());
            }
        }
        if (staged.isEmpty()) {
            return;
        }
        List<SteleException> unreadable = new ArrayList<>();
        for (TableId tableId : staged) {
            for (Decision decision : decisions.ofTable(tableId, unreadable::add)) {
                if (decision.committed()
                        && decision.publish().filter(tableId::equals).isPresent()) {
                    publish(tableId, decision.lsn());
                }
            }
        }
        hasUnreadableDecisions = !unreadable.isEmpty();
        if (!hasUnreadableDecisions) {
            catalog.dropStagedTables();
        } // else one of them may be committed
    }

    /** The catalog versions that are given up. */
    public Set<Long> givenUpCatalogs() {
        return dropped.catalogVersions();
    }

    /** The tables that only catalog versions which were given up knew. */
    public LostTables lostTables() {
        return lost;
    }

    /** Whether decisions of staged tables are damaged: then no decision may be deleted. */
    public boolean hasUnreadableDecisions() {
        return hasUnreadableDecisions;
    }

    private void publish(TableId tableId, Lsn committed) {
        try {
            catalog.publishTable(tableId, committed);
        } catch (SteleException taken) {
            if (taken.code() != ErrorCode.TABLE_ALREADY_EXISTS) {
                throw taken;
            }
        }
    }

    /**
     * Loads the newest manifest of every shard, and observes every LSN in it, so that the clock and
     * the epoch are above all of them. Shards whose manifest cannot be used are left out ({@link
     * #addDamaged}).
     */
    public SortedMap<ShardId, Manifest> loadManifests() throws IOException {
        SortedMap<ShardId, Manifest> manifests = new TreeMap<>();
        loadMissing(manifests);
        return manifests;
    }

    /** Loads the manifests of table groups that the catalog did not have before. */
    public void loadMissing(SortedMap<ShardId, Manifest> manifests) throws IOException {
        Map<ShardId, StartTask<Optional<Manifest>>> loading = new LinkedHashMap<>();
        for (TableGroup group : catalog.current().tableGroups()) {
            for (ShardId shard : group.shards()) {
                if (!manifests.containsKey(shard) && !damaged.containsKey(shard)) {
                    ManifestStore stored = manifestStores.of(shard);
                    loading.put(shard, StartTask.begin(opening, stored::loadLatest));
                }
            }
        }
        for (Map.Entry<ShardId, StartTask<Optional<Manifest>>> entry : loading.entrySet()) {
            ShardId shard = entry.getKey();
            Manifest manifest;
            try {
                manifest = entry.getValue().get().orElse(Manifest.empty(shard));
            } catch (IOException | RuntimeException | Error thrown) {
                Exception broken = StoreWait.damage(thrown);
                damaged.put(shard, broken);
                continue;
            }
            clock.observeEpoch(manifest.epoch());
            manifest.files().forEach(file -> clock.observe(file.maxLsn()));
            manifest.tables().forEach(table -> clock.observe(table.flushedLsn()));
            manifest.tables().forEach(table -> clock.observe(table.historyLsn()));
            manifests.put(shard, manifest);
        }
    }

    /**
     * Adds the shards whose manifest cannot be used. They stop before they serve: nothing of them
     * is changed, and their log records are retained.
     */
    public void addDamaged(Shards shards) throws IOException {
        for (Map.Entry<ShardId, Exception> one : damaged.entrySet()) {
            ShardId id = one.getKey();
            TableGroupShard shard = shards.add(Manifest.empty(id)).shard();
            shard.stopRecovering(manifestStores.of(id).unreadablePath(), one.getValue());
            for (TableEntry entry : catalog.current().tables()) {
                if (entry.schema().shards().contains(id)) {
                    shard.putTable(new TableVersions(entry.schema(), entry.history()));
                }
            }
        }
    }

    /**
     * Takes shards over by creating the next manifest version of each in this engine's epoch,
     * without dropped tables. Shards whose manifest cannot be used are left out ({@link
     * #addDamaged}). From then on an engine that owned the shard before fails at its next manifest.
     * The catalog was taken over before, so a table that it does not have was dropped.
     */
    public List<Manifest> own(Collection<Manifest> loaded, long epoch) throws IOException {
        List<StartTask<Owning>> tasks =
                loaded.stream()
                        .map(manifest -> StartTask.begin(opening, () -> own(manifest, epoch)))
                        .toList();
        List<Manifest> owned = new ArrayList<>();
        for (StartTask<Owning> task : tasks) {
            Owning owning = task.get();
            if (owning.unusable().isEmpty()) {
                owned.add(owning.manifest());
            } else {
                damaged.put(owning.manifest().shard(), owning.unusable().get());
            }
        }
        return owned;
    }

    /**
     * The outcome of taking a shard over.
     *
     * @param manifest the manifest in this engine's epoch, if it can be used
     * @param unusable why the manifest cannot be used
     */
    private record Owning(Manifest manifest, Optional<SteleException> unusable) {}

    private Owning own(Manifest loaded, long epoch) throws IOException {
        ManifestStore manifests = manifestStores.of(loaded.shard());
        Manifest base = loaded;
        for (int attempt = 0; attempt < OWNERSHIP_ATTEMPTS; attempt++) {
            if (base.epoch() >= epoch) {
                throw new SteleException(
                        ErrorCode.UNAVAILABLE,
                        "Expected to take shard %s over in epoch %d, found it owned in epoch %d by an engine that was opened later"
                                .formatted(loaded.shard(), epoch, base.epoch()));
            }
            checkCatalog(base);
            ManifestEdit edit = base.edit().epoch(epoch);
            Set<TableId> droppedTables = new HashSet<>();
            for (TableProgress table : base.tables()) {
                if (isDropped(table.tableId())) {
                    droppedTables.add(table.tableId());
                }
            }
            for (FileEntry file : base.files()) {
                if (isDropped(file.tableId())) {
                    droppedTables.add(file.tableId());
                } else if (lost.has(file.tableId())) {
                    continue; // stays as it is
                } else if (file.indexId().isPresent() && !hasIndex(file)
                        || file.indexId().isEmpty() && dropped.has(file)) {
                    edit.removeFile(file.fileId());
                }
            }
            droppedTables.forEach(edit::removeTable);
            Manifest owned = edit.build();
            try {
                if (manifests.create(owned)) {
                    // older versions are deleted when the next one is stored
                    return new Owning(owned, Optional.empty());
                }
                base = manifests.loadLatest().orElseThrow();
            } catch (SteleException unusable) {
                // the base of the version, or another engine's version, is damaged
                return new Owning(base, Optional.of(unusable));
            }
        }
        throw new SteleException(
                ErrorCode.UNAVAILABLE,
                "Expected to own shard %s after %d attempts, found others taking it over and over"
                        .formatted(loaded.shard(), OWNERSHIP_ATTEMPTS));
    }

    /**
     * Throws when a manifest has a newer table than the catalog: the catalog is an older copy, and
     * the tables that it does not have were not dropped.
     */
    private void checkCatalog(Manifest manifest) {
        Optional<SteleException> older = findNewerTable(manifest);
        if (older.isPresent()) {
            throw older.get();
        }
    }

    private Optional<SteleException> findNewerTable(Manifest manifest) {
        long next = catalog.nextTableId(givenUpCatalogs());
        return manifest.tables().stream()
                .map(TableProgress::tableId)
                .filter(table -> table.value() >= next)
                .findFirst()
                .map(
                        table ->
                                new SteleException(
                                        ErrorCode.CORRUPT_DATA,
                                        "Expected table ids below %d, the next one of catalog version %d, found %s in manifest version %d of shard %s: the catalog is older than its manifests"
                                                .formatted(
                                                        next,
                                                        catalog.current().version(),
                                                        table,
                                                        manifest.version(),
                                                        manifest.shard())));
    }

    /**
     * Checks that the catalog is as new as the manifests. If not, the start fails before anything
     * is taken over, until the newest version is restored.
     *
     * @param isBegun whether an engine has had this warehouse before
     */
    public void checkCatalogIsNewest(SortedMap<ShardId, Manifest> manifests, LogBegun isBegun)
            throws IOException {
        Optional<SteleException> older = findNewerTable(manifests);
        if (older.isPresent()) {
            catalog.refresh(); // another engine may have created the table since
            older = findNewerTable(manifests);
        }
        boolean isMissing = hasNoCatalog() && isBegun.get();
        if (isMissing) {
            catalog.refresh(); // another engine may have begun both since
        }
        if (isMissing && hasNoCatalog()) {
            older =
                    Optional.of(
                            new SteleException(
                                    ErrorCode.CORRUPT_DATA,
                                    "Expected a catalog beside the log that the warehouse names,"
                                            + " found none"));
        }
        if (catalog.damage().isEmpty() && older.isPresent()) {
            catalog.refuse(older.get());
        }
        if (catalog.damage().isPresent()) {
            manifests.clear();
            damaged.clear();
        }
    }

    private boolean hasNoCatalog() {
        return catalog.damage().isEmpty() && catalog.current().version() == 0;
    }

    /** A check whether the log of the warehouse is begun. */
    @FunctionalInterface
    public interface LogBegun {
        boolean get() throws IOException;
    }

    private Optional<SteleException> findNewerTable(SortedMap<ShardId, Manifest> manifests) {
        return manifests.values().stream()
                .map(this::findNewerTable)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /**
     * Adds the tables of the catalog to a shard, without files.
     *
     * @param manifest the manifest of the shard
     */
    public void addTables(TableGroupShard shard, Manifest manifest) throws IOException {
        shard.passOver(dropped::has);
        shard.keepLost(
                (table, lsn) -> lost.has(table) && lsn.compareTo(manifest.flushedLsn(table)) > 0);
        for (TableEntry entry : catalog.current().tables()) {
            TableSchema schema = entry.schema();
            if (schema.shards().contains(shard.id())) {
                shard.putTable(new TableVersions(schema, entry.history()));
                if (entry.state() == TableState.REPLACED) {
                    shard.replaceTable(schema.id());
                }
            }
        }
    }

    /**
     * Adds the files that a shard's manifest names to its tables, and restores its writers.
     *
     * @param deletes the deletion vectors of at least these files
     */
    public void restore(TableGroupShard shard, Manifest manifest, StoredDeletes deletes)
            throws IOException {
        for (TableShard table : shard.tables()) {
            TableId tableId = table.schema().id();
            restore(shard, tableId, manifest, deletes);
            shard.restoreApplied(manifest.flushedLsn(tableId));
        }
        restoreSavedWriters(shard, manifest);
        manifest.writers().forEach(writer -> shard.restoreWriter(writer, true));
    }

    private void restoreSavedWriters(TableGroupShard shard, Manifest manifest) throws IOException {
        Optional<WritersObject> object = manifest.writersObject();
        if (object.isEmpty() || dropped.hasObject(object.get().path())) {
            return;
        }
        try {
            manifestStores
                    .of(shard.id())
                    .loadWriters(object.get())
                    .forEach(writer -> shard.restoreWriter(writer, false));
        } catch (IOException | RuntimeException | Error thrown) {
            Exception broken = StoreWait.damage(thrown);
            shard.stopRecovering(object.get().path(), broken);
        }
    }

    /**
     * Adds files without opening them; a table whose deletion vectors cannot be read is set aside.
     */
    private void restore(
            TableGroupShard shard, TableId tableId, Manifest manifest, StoredDeletes deletes)
            throws IOException {
        TableFiles files = deletes.files();
        TableShard table = shard.table(tableId);
        List<SstFile> sstFiles = new ArrayList<>();
        List<ColumnFile> columnFiles = new ArrayList<>();
        Map<Integer, List<SstFile>> indexFiles = new HashMap<>();
        List<Damage> damages = new ArrayList<>();
        for (FileEntry entry : manifest.files(tableId)) {
            try {
                table.versions().mapping(entry.schemaVersion()); // else readers get the failure
                if (entry.indexId().isPresent()) {
                    indexFiles
                            .computeIfAbsent(entry.indexId().getAsInt(), id -> new ArrayList<>())
                            .add(files.lazyRow(entry, table.versions()));
                } else if (entry.kind() == FileKind.ROW) {
                    sstFiles.add(files.lazyRow(entry, table.versions()));
                } else {
                    columnFiles.add(files.lazyColumn(entry, deletes.of(entry), table.versions()));
                }
            } catch (IOException | RuntimeException | Error thrown) {
                Exception broken = StoreWait.damage(thrown);
                if (damages.size() < FileOpenings.MAX_DAMAGES) {
                    damages.add(damage(shard.id(), tableId, FailedFile.of(entry, broken), broken));
                }
            }
        }
        if (!damages.isEmpty()) {
            shard.setAside(table, damages, Lsn.MIN);
            return;
        }
        long nextRowId = manifest.table(tableId).map(TableProgress::nextRowId).orElse(0L);
        table.restore(
                manifest.flushedLsn(tableId).value(),
                nextRowId,
                manifest.historyLsn(tableId).value(),
                sstFiles,
                columnFiles,
                indexFiles,
                manifest.tombstones(tableId));
    }

    private Damage damage(ShardId shard, TableId table, String object, Exception broken) {
        return Damage.of(shard, table, object, broken, clock.last().millis());
    }

    /**
     * Finds the log and takes it over. If it cannot be read, it stays unchanged, and the start has
     * no log.
     *
     * @throws SteleException when it is another log, is incomplete, or belongs to another engine
     */
    public LogMark takeLog(LogFiles log, long epoch, LogSearch search) throws IOException {
        if (catalog.damage().isPresent()) {
            unusableLog = Optional.of(catalog.damage().get().refusal());
            return LogMark.NONE;
        }
        try {
            LogMark expected = search.find();
            log.takeOver(epoch, expected.logId());
            return expected;
        } catch (SteleException damaged) {
            unusableLog = Optional.of(orThrow(damaged));
            return LogMark.NONE;
        }
    }

    /** A search for the log of the warehouse. */
    @FunctionalInterface
    public interface LogSearch {
        LogMark find() throws IOException;
    }

    /** The shards with records in the log that the catalog does not have. */
    public Set<ShardId> unknownShards() {
        return Set.copyOf(unknown);
    }

    /** Whether there is a log that can be read. */
    public boolean hasLog() {
        return unusableLog.isEmpty();
    }

    /** The reason why the log may contain unknown transactions, if it may. */
    public Optional<SteleException> logDamage() {
        return unusableLog.or(() -> unreadableCommit);
    }

    /** The failure, if it is damage; throws any other, also that the log is another one. */
    private static SteleException orThrow(SteleException refused) {
        if (refused.code() != ErrorCode.CORRUPT_DATA
                || refused.getCause() instanceof OtherLogException) {
            throw refused;
        }
        return refused;
    }

    /**
     * Applies the retained records and then the log to the shards; records of shards that no longer
     * exist are skipped. If the log cannot be read, all shards stop, and it stays unchanged.
     *
     * @param expected the id of the log, and a group that it must reach
     * @param committed receives the transactions that committed in one phase
     */
    public RecoveredLog replay(
            LogFiles log,
            LogMark expected,
            StorageOptions options,
            Shards shards,
            RetainedLog retained,
            CommittedTransactions committed)
            throws IOException {
        ReplayGroups groups = new ReplayGroups(opening, ReplayGroups.MAX_BYTES);
        try {
            for (Shards.Entry entry : shards.all()) {
                replay(retained, entry.shard(), groups);
            }
            for (ShardId shard : retained.shards()) {
                if (!shards.contains(shard) && lost.hasShard(shard)) {
                    replayLost(retained, shard);
                }
            }
            if (hasLog()) {
                RecoveredLog recovered =
                        RecoveredLog.recover(
                                log,
                                options.log(),
                                clock,
                                expected,
                                (shard, lsn, type, payload) -> {
                                    if (type == RecordType.COMMIT) {
                                        noteCommitted(committed, lsn, payload);
                                    }
                                    replay(
                                            shards,
                                            retained,
                                            shard,
                                            new LoggedRecord(lsn, type, payload),
                                            groups);
                                });
                groups.finish();
                return recovered;
            }
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        } catch (SteleException damaged) {
            unusableLog = Optional.of(orThrow(damaged));
            groups.finish(); // applies the records before the damage
        }
        // The content of the damaged part is unknown
        SteleException damage = unusableLog.orElseThrow();
        shards.stopAll("log", damage);
        return RecoveredLog.recover(
                new UnusableLogFiles(damage),
                options.log(),
                clock,
                (shard, lsn, type, payload) -> {});
    }

    /** Notes a committed transaction, whether or not its shard can apply the record. */
    private void noteCommitted(CommittedTransactions committed, Lsn lsn, ByteBuffer payload) {
        try {
            TransactionRecords.repeatableId(payload).ifPresent(id -> committed.add(id, lsn));
        } catch (SteleException malformed) {
            unreadableCommit = Optional.of(malformed); // the shard stops at it, by its own name
        }
    }

    private void replayLost(RetainedLog retained, ShardId shard) throws IOException {
        for (String object : retained.objects(shard)) {
            try {
                retained.replay(
                        shard,
                        object,
                        (lsn, type, payload, whole) -> lost.note(shard, lsn, type, payload));
            } catch (IOException | RuntimeException | Error thrown) {
                Exception broken = StoreWait.damage(thrown);
                lost.noteUnreadable(shard, object, broken);
            }
        }
    }

    private void replay(RetainedLog retained, TableGroupShard shard, ReplayGroups groups)
            throws IOException {
        clock.observe(retained.last(shard.id()));
        for (String object : retained.objects(shard.id())) {
            List<ByteBuffer> settled = new ArrayList<>();
            try {
                retained.replay(
                        shard.id(),
                        object,
                        (lsn, type, payload, whole) -> {
                            add(groups, shard, new LoggedRecord(lsn, type, payload));
                            if (type == RecordType.PREPARE && !whole) {
                                settled.add(payload);
                            }
                        });
                groups.finish();
                settled.forEach(payload -> shard.settled(object, payload));
            } catch (IOException | RuntimeException | Error thrown) {
                Exception broken = StoreWait.damage(thrown);
                shard.stopRecovering(object, broken);
                return;
            }
        }
    }

    private void replay(
            Shards shards,
            RetainedLog retained,
            ShardId shard,
            LoggedRecord record,
            ReplayGroups groups) {
        boolean isKept = record.lsn().compareTo(retained.last(shard)) <= 0;
        if (!shards.contains(shard)) {
            unknown.add(shard);
            if (!isKept && lost.hasShard(shard)) {
                lost.note(shard, record.lsn(), record.type(), record.payload());
            }
        } else if (!isKept) {
            add(groups, shards.shard(shard), record);
        }
    }

    private void add(ReplayGroups groups, TableGroupShard shard, LoggedRecord record) {
        if (dropped.hasRecord(shard.id(), record.lsn())) {
            return;
        }
        try {
            groups.add(shard, record);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Ends transactions whose outcome is not in the log, by their decision objects. Without an
     * object, the transaction was not decided: the decision to abort is created now, so that no
     * other process can decide otherwise.
     *
     * @return completes when all outcomes are durable: until then the decisions are needed
     */
    public CompletableFuture<@Nullable Void> resolveInDoubt(
            Shards shards, EngineLog log, long epoch) throws IOException {
        Map<String, List<TableGroupShard>> inDoubt = new TreeMap<>();
        for (Shards.Entry entry : shards.all()) {
            for (PreparedPart part : entry.shard().inDoubt()) {
                inDoubt.computeIfAbsent(part.transactionId(), id -> new ArrayList<>())
                        .add(entry.shard());
            }
        }
        List<CompletableFuture<LogPosition>> outcomes = new ArrayList<>();
        List<Decision> committed = new ArrayList<>();
        List<String> aborted = new ArrayList<>();
        for (String transactionId : inDoubt.keySet()) {
            Decision decision;
            try {
                decision = decisions.decide(Decision.aborted(transactionId, epoch));
            } catch (SteleException unreadable) {
                requireNonNull(inDoubt.get(transactionId))
                        .forEach(
                                shard ->
                                        shard.stopRecovering(
                                                Decision.path(transactionId), unreadable));
                continue;
            }
            if (decision.committed()) {
                committed.add(decision);
            } else {
                aborted.add(transactionId);
            }
        }
        committed.sort(java.util.Comparator.comparing(Decision::lsn));
        for (Decision decision : committed) {
            List<TableGroupShard> participants =
                    requireNonNull(inDoubt.get(decision.transactionId()));
            participants.removeIf(shard -> shard.failure().isPresent());
            if (participants.isEmpty()) {
                continue;
            }
            LogHold hold;
            try {
                hold =
                        log.resume(
                                decision.lsn(),
                                participants.stream().map(TableGroupShard::id).toList());
            } catch (IllegalArgumentException passed) {
                // An earlier start stopped the shards here, and the log continued without them
                participants.forEach(
                        shard ->
                                shard.stopRecovering(
                                        Decision.path(decision.transactionId()), passed));
                continue;
            }
            for (TableGroupShard shard : participants) {
                if (shard.failure().isPresent()) {
                    continue;
                }
                Optional<List<ByteBuffer>> outcome = resolve(shard, decision);
                if (outcome.isEmpty()) {
                    continue;
                }
                outcomes.add(
                        accepted(
                                hold.append(
                                        shard.id(),
                                        RecordType.OUTCOME,
                                        outcome.get(),
                                        TableGroupShard.RESOLVED)));
            }
            log.release(hold);
        }
        // Only now: an abort gets a fresh LSN, and no shard takes the LSN of a commit after that.
        for (String transactionId : aborted) {
            for (TableGroupShard shard : requireNonNull(inDoubt.get(transactionId))) {
                if (shard.failure().isPresent()) {
                    continue;
                }
                List<ByteBuffer> outcome = shard.resolve(transactionId, false, shard.appliedLsn());
                outcomes.add(
                        accepted(
                                log.appendNow(
                                        shard.id(),
                                        RecordType.OUTCOME,
                                        outcome,
                                        TableGroupShard.RESOLVED)));
            }
        }
        return CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> null);
    }

    /**
     * Applies an outcome and returns its record; empty if the shard stops, and a later start
     * resolves it.
     */
    private static Optional<List<ByteBuffer>> resolve(TableGroupShard shard, Decision decision)
            throws IOException {
        try {
            return Optional.of(shard.resolve(decision.transactionId(), true, decision.lsn()));
        } catch (IOException | RuntimeException | Error thrown) {
            Exception broken = StoreWait.damage(thrown);
            shard.stopRecovering(Decision.path(decision.transactionId()), broken);
            return Optional.empty();
        }
    }

    /**
     * Whether the index of a file exists and is ready: an index that was being built is built
     * again.
     */
    private boolean hasIndex(FileEntry file) {
        TableEntry table = catalog.current().findTable(file.tableId()).orElseThrow();
        return table.schema().options().indexes().stream()
                .anyMatch(index -> index.ready() && index.id() == file.indexId().orElseThrow());
    }

    private boolean isDropped(TableId tableId) {
        return catalog.current().findTable(tableId).isEmpty() && !lost.has(tableId);
    }

    private static CompletableFuture<LogPosition> accepted(
            CompletableFuture<LogPosition> appended) {
        Optional<Throwable> refused =
                appended.handle((position, failed) -> Optional.ofNullable(failed))
                        .getNow(Optional.empty());
        if (refused.isPresent()) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot log the outcome of a transaction: " + refused.get(),
                    refused.get());
        }
        return appended;
    }
}
