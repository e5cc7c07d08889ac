package io.stele.storage.engine;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.catalog.Catalog;
import io.stele.storage.catalog.CatalogService;
import io.stele.storage.catalog.TableEntry;
import io.stele.storage.catalog.TableGroup;
import io.stele.storage.catalog.TableState;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.manifest.FileKind;
import io.stele.storage.manifest.Manifest;
import io.stele.storage.manifest.ManifestEdit;
import io.stele.storage.manifest.ManifestStore;
import io.stele.storage.manifest.TableProgress;
import io.stele.storage.shard.PreparedPart;
import io.stele.storage.shard.TableGroupShard;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.RowFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.tablet.TableVersions;
import io.stele.storage.wal.HybridClock;
import io.stele.storage.wal.LogFiles;
import io.stele.storage.wal.LogHold;
import io.stele.storage.wal.LogMark;
import io.stele.storage.wal.LogPosition;
import io.stele.storage.wal.RecordType;
import io.stele.storage.wal.RecoveredLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The steps that bring an engine from what is stored to where it was: manifests, log, undecided
 * transactions. One thread; nothing serves meanwhile.
 */
final class Recovery {
    private static final int OWNERSHIP_ATTEMPTS =
            8; // each lost one means that another engine is starting at this moment

    private final CatalogService catalog;
    private final Decisions decisions;
    private final HybridClock clock;
    private final ManifestStores manifestStores;

    Recovery(
            CatalogService catalog,
            Decisions decisions,
            HybridClock clock,
            ManifestStores manifestStores) {
        this.manifestStores = requireNonNull(manifestStores, "manifestStores is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.decisions = requireNonNull(decisions, "decisions is null");
        this.clock = requireNonNull(clock, "clock is null");
    }

    /**
     * Staged tables whose transaction was committed become public, unless their name was taken
     * meanwhile; the others are what is left of statements that never ended.
     */
    void resolveStagedTables() throws IOException {
        Set<TableId> staged = new HashSet<>();
        for (TableEntry entry : catalog.current().tables()) {
            if (entry.state().isStaged()) {
                staged.add(entry.schema().id());
            }
        }
        if (staged.isEmpty()) {
            return;
        }
        for (TableId tableId : staged) {
            for (Decision decision : decisions.ofTable(tableId)) {
                if (decision.committed()
                        && decision.publish().filter(tableId::equals).isPresent()) {
                    publish(tableId);
                }
            }
        }
        catalog.dropStagedTables();
    }

    private void publish(TableId tableId) {
        try {
            catalog.publishTable(tableId);
        } catch (SteleException taken) {
            if (taken.code() != ErrorCode.TABLE_ALREADY_EXISTS) {
                throw taken;
            }
        }
    }

    /**
     * Observes every LSN that manifests name, so that the clock and the epoch come after all of
     * them.
     */
    SortedMap<ShardId, Manifest> loadManifests() throws IOException {
        SortedMap<ShardId, Manifest> manifests = new TreeMap<>();
        loadMissing(manifests);
        return manifests;
    }

    /** Adds those of table groups that the catalog did not have before. */
    void loadMissing(SortedMap<ShardId, Manifest> manifests) throws IOException {
        for (TableGroup group : catalog.current().tableGroups()) {
            for (ShardId shard : group.shards()) {
                if (manifests.containsKey(shard)) {
                    continue;
                }
                Manifest manifest =
                        manifestStores.of(shard).loadLatest().orElse(Manifest.empty(shard));
                clock.observe(new Lsn(manifest.epoch()));
                manifest.files().forEach(file -> clock.observe(file.maxLsn()));
                manifest.tables().forEach(table -> clock.observe(table.flushedLsn()));
                manifest.tables().forEach(table -> clock.observe(table.historyLsn()));
                manifests.put(shard, manifest);
            }
        }
    }

    /**
     * Takes a shard over: the next manifest version in this engine's epoch, without tables that are
     * dropped. From then on an engine that owned the shard before fails at its next manifest. The
     * catalog is owned before: a table that it does not have was dropped.
     */
    Manifest own(Manifest loaded, long epoch) throws IOException {
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
            for (TableProgress table : base.tables()) {
                if (!isKnown(table.tableId())) {
                    edit.removeTable(table.tableId());
                }
            }
            for (FileEntry file : base.files()) {
                if (!isKnown(file.tableId())) {
                    edit.removeTable(file.tableId());
                } else if (file.indexId().isPresent() && !hasIndex(file)) {
                    edit.removeFile(file.fileId());
                }
            }
            Manifest owned = edit.build();
            if (manifests.create(owned)) {
                manifests.deleteOld();
                return owned;
            }
            base = manifests.loadLatest().orElseThrow();
        }
        throw new SteleException(
                ErrorCode.UNAVAILABLE,
                "Expected to own shard %s after %d attempts, found others taking it over and over"
                        .formatted(loaded.shard(), OWNERSHIP_ATTEMPTS));
    }

    /** Nothing is removed that a catalog cannot know: that is an older copy, not a drop. */
    private void checkCatalog(Manifest manifest) {
        long next = catalog.current().nextTableId();
        for (TableProgress table : manifest.tables()) {
            if (table.tableId().value() >= next) {
                throw new SteleException(
                        ErrorCode.CORRUPT_DATA,
                        "Expected table ids below %d, the next one of catalog version %d, found %s in manifest version %d of shard %s: the catalog is older than its manifests"
                                .formatted(
                                        next,
                                        catalog.current().version(),
                                        table.tableId(),
                                        manifest.version(),
                                        manifest.shard()));
            }
        }
    }

    /** Puts the tables of the catalog into a shard, with the files its manifest names. */
    void restore(TableGroupShard shard, Manifest manifest, TableFiles files) throws IOException {
        Catalog current = catalog.current();
        for (TableEntry entry : current.tables()) {
            TableSchema schema = entry.schema();
            if (schema.shards().contains(shard.id())) {
                shard.putTable(new TableVersions(schema, entry.history()));
                if (entry.state() == TableState.REPLACED) {
                    shard.replaceTable(schema.id());
                }
                restore(shard.table(schema.id()), manifest, files);
                shard.restoreApplied(manifest.flushedLsn(schema.id()));
            }
        }
        if (manifest.writersObject().isPresent()) {
            manifestStores
                    .of(shard.id())
                    .loadWriters(manifest.writersObject().get())
                    .forEach(writer -> shard.restoreWriter(writer, false));
        }
        manifest.writers().forEach(writer -> shard.restoreWriter(writer, true));
    }

    private static void restore(TableShard table, Manifest manifest, TableFiles files)
            throws IOException {
        TableId tableId = table.schema().id();
        List<RowFile> rowFiles = new ArrayList<>();
        List<ColumnFile> columnFiles = new ArrayList<>();
        Map<Integer, List<RowFile>> indexFiles = new HashMap<>();
        for (FileEntry entry : manifest.files(tableId)) {
            if (entry.indexId().isPresent()) {
                indexFiles
                        .computeIfAbsent(entry.indexId().getAsInt(), id -> new ArrayList<>())
                        .add(files.openRow(entry, table.versions()));
            } else if (entry.kind() == FileKind.ROW) {
                rowFiles.add(files.openRow(entry, table.versions()));
            } else {
                columnFiles.add(files.openColumn(entry, table.versions()));
            }
        }
        long nextRowId = manifest.table(tableId).map(TableProgress::nextRowId).orElse(0L);
        table.restore(
                manifest.flushedLsn(tableId).value(),
                nextRowId,
                manifest.historyLsn(tableId).value(),
                rowFiles,
                columnFiles,
                indexFiles,
                manifest.ends(tableId));
    }

    /**
     * Applies the log to the shards; records of shards that are no more are passed over.
     *
     * @param expected the log, and a group that must be in it
     */
    RecoveredLog replay(LogFiles log, LogMark expected, StorageOptions options, Shards shards)
            throws IOException {
        try {
            return RecoveredLog.recover(
                    log,
                    options.log(),
                    clock,
                    expected,
                    (shard, lsn, type, payload) -> {
                        if (shards.contains(shard)) {
                            replay(shards.shard(shard), lsn, type, payload);
                        }
                    });
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private static void replay(
            TableGroupShard shard, Lsn lsn, RecordType type, ByteBuffer payload) {
        try {
            shard.replay(lsn, type, payload);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Ends transactions whose outcome the log does not tell, as their decision objects say. Where
     * there is none, it was not decided, and the decision to abort is made now, so that nobody else
     * can decide otherwise.
     *
     * @return completes when all outcomes are durable: until then the decisions are needed
     */
    CompletableFuture<@Nullable Void> resolveInDoubt(Shards shards, EngineLog log, long epoch)
            throws IOException {
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
            Decision decision = decisions.decide(Decision.aborted(transactionId, epoch));
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
            LogHold hold =
                    log.resume(
                            decision.lsn(),
                            participants.stream().map(TableGroupShard::id).toList());
            for (TableGroupShard shard : participants) {
                List<ByteBuffer> outcome =
                        shard.resolve(decision.transactionId(), true, decision.lsn());
                outcomes.add(
                        accepted(
                                hold.append(
                                        shard.id(),
                                        RecordType.OUTCOME,
                                        outcome,
                                        TableGroupShard.RESOLVED)));
            }
            log.release(hold);
        }
        // Only now: an abort gets a fresh LSN, and no shard takes the LSN of a commit after that.
        for (String transactionId : aborted) {
            for (TableGroupShard shard : requireNonNull(inDoubt.get(transactionId))) {
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

    /** An index that was being built is built anew, and one that was dropped is gone. */
    private boolean hasIndex(FileEntry file) {
        TableEntry table = catalog.current().findTable(file.tableId()).orElseThrow();
        return table.schema().options().indexes().stream()
                .anyMatch(index -> index.ready() && index.id() == file.indexId().orElseThrow());
    }

    private boolean isKnown(TableId tableId) {
        return catalog.current().tables().stream()
                .anyMatch(entry -> entry.schema().id().equals(tableId));
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
