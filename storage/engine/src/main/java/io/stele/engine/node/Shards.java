package io.stele.engine.node;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.catalog.TableGroup;
import io.stele.engine.catalog.TableState;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.garbage.FileCollector;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestStore;
import io.stele.engine.row.TableVersions;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.maintenance.MaintenanceFailure;
import io.stele.engine.shard.maintenance.MaintenanceListener;
import io.stele.engine.shard.maintenance.MaintenanceOptions;
import io.stele.engine.shard.maintenance.MemoryBudget;
import io.stele.engine.shard.maintenance.ShardMaintenance;
import io.stele.engine.shard.record.RetainedRecords;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.LogListener;
import io.stele.engine.wal.LogSpace;
import io.stele.objectstore.WritePacer;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import io.stele.scheduler.ExecutionContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The registry of a node's shards and their maintenance, to which it forwards catalog changes,
 * durable log records and log failures. Safe for use by many threads; shards are added, never
 * removed.
 */
public final class Shards implements LogListener {
    private final StorageOptions options;
    private final EngineThreads threads;
    private final TableFiles files;
    private final SnapshotRegistry snapshots;
    private final FileCollector collector;
    private final EngineClock clock;
    private final long epoch;
    private final ManifestStores manifests;
    private final MemoryBudget budget;
    private final CompletableFuture<EngineFailure> failed = new CompletableFuture<>();
    private final ForwardedFailures failures = new ForwardedFailures(failed);
    private final TableFiles compactionFiles;
    private volatile Set<ShardId> unknown = Set.of(); // shards of log records, not in the catalog
    private volatile Map<ShardId, RetainedRecords> lostRecords = Map.of(); // of unknown shards
    private volatile Optional<Stopped> stopped = Optional.empty(); // why no shard serves
    private final Map<ShardId, Entry> entries = new ConcurrentSkipListMap<>(); // in id order
    private final Map<ShardId, Entry> byId = new ConcurrentHashMap<>(); // the same entries, hashed

    public Shards(
            StorageOptions options,
            EngineThreads threads,
            TableFiles files,
            SnapshotRegistry snapshots,
            FileCollector collector,
            EngineClock clock,
            long epoch,
            ManifestStores manifests) {
        this.options = requireNonNull(options, "options is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.files = requireNonNull(files, "files is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.collector = requireNonNull(collector, "collector is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.epoch = epoch;
        this.manifests = requireNonNull(manifests, "manifests is null");
        this.budget = new MemoryBudget(options.memTableTotalBytes());
        this.compactionFiles = compactionFiles(files, options, threads, clock);
    }

    private static TableFiles compactionFiles(
            TableFiles files, StorageOptions options, EngineThreads threads, EngineClock clock) {
        return options.compactionBytesPerSecond().isEmpty()
                ? files
                : files.paced(
                        new WritePacer(
                                options.compactionBytesPerSecond().getAsLong(),
                                clock::nowMillis,
                                threads.merging()::pause));
    }

    /** Stops all shards, also those added later, before they serve. */
    public void stopAll(String object, SteleException cause) {
        stopped = Optional.of(new Stopped(object, cause));
        entries.values().forEach(entry -> entry.shard().stopRecovering(object, cause));
    }

    private record Stopped(String object, SteleException cause) {}

    /** A shard with its maintenance. */
    public record Entry(TableGroupShard shard, ShardMaintenance maintenance) {}

    /**
     * Sets the listener that is notified of failed flushes, compactions and manifests; any thread.
     */
    public void notifyFailures(MaintenanceListener listener) {
        failures.listener = requireNonNull(listener, "listener is null");
    }

    /**
     * Notifies that listener that writes wait for space on the log's disk, or that they continue.
     */
    public void notifyLogSpace(LogSpace space) {
        failures.logSpaceChanged(space);
    }

    /** Creates and adds a shard with the state of its manifest; does not start it. */
    public Entry add(Manifest manifest) {
        ShardId id = manifest.shard();
        ExecutionContext context =
                threads.contexts().createContext("shard " + id, threads.dataBound());
        TableGroupShard shard =
                new TableGroupShard(
                        id,
                        context,
                        worker ->
                                threads.contexts()
                                        .createContext(
                                                "shard " + id + " apply worker " + worker,
                                                threads.dataBound()),
                        options.apply(),
                        files,
                        clock::nowMillis,
                        clock::expiryMillis,
                        options.maxWriteWait(),
                        threads.background(),
                        threads.lookups());
        ShardMaintenance maintenance =
                new ShardMaintenance(
                        shard,
                        manifests.of(id),
                        manifest,
                        epoch,
                        files,
                        compactionFiles,
                        new MaintenanceOptions(
                                options.memTableBytes(),
                                options.memTableAge().toMillis(),
                                options.targetFileBytes()),
                        budget,
                        snapshots::horizon,
                        clock::nowMillis,
                        failures,
                        threads.background(),
                        threads.flushing(),
                        threads.merging(),
                        collector);
        stopped.ifPresent(why -> shard.stopRecovering(why.object(), why.cause()));
        Entry entry = new Entry(shard, maintenance);
        entries.put(id, entry);
        byId.put(id, entry);
        return entry;
    }

    public Collection<Entry> all() {
        return entries.values();
    }

    public Set<ShardId> ids() {
        return entries.keySet();
    }

    public ManifestStore manifests(ShardId id) {
        return manifests.of(id);
    }

    public MemoryBudget budget() {
        return budget;
    }

    public boolean contains(ShardId id) {
        return entries.containsKey(id);
    }

    public TableGroupShard shard(ShardId id) {
        return entry(id).shard();
    }

    public Entry entry(ShardId id) {
        Entry entry = byId.get(id);
        if (entry == null) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected one of " + entries.size() + " shards, found " + id);
        }
        return entry;
    }

    /** The parts of a table, one per shard; STALE_TABLE if it is dropped. */
    public List<TableShard> table(TableSchema schema) {
        return schema.shards().stream().map(id -> shard(id).table(schema.id())).toList();
    }

    /** The parts of a table, one per shard; empty if a shard does not have it yet, or no longer. */
    public Optional<List<TableShard>> find(TableEntry table) {
        List<TableShard> found = new ArrayList<>();
        for (ShardId id : table.schema().shards()) {
            Optional<TableShard> there =
                    contains(id) ? shard(id).findTable(table.schema().id()) : Optional.empty();
            if (there.isEmpty()) {
                return Optional.empty();
            }
            found.add(there.get());
        }
        return Optional.of(found);
    }

    /**
     * Prepares for a catalog that is not yet visible: adds the shards of new groups and the new
     * tables, and lets tables be read by their new columns. A table that is replaced refuses
     * writes, so that no acknowledged write is missing in the new catalog. Nothing else changes
     * yet.
     */
    public void expect(Catalog before, Catalog after, Consumer<Entry> started) {
        for (TableGroup group : after.tableGroups()) {
            for (ShardId id : group.shards()) {
                if (!contains(id)) {
                    started.accept(add(Manifest.empty(id)));
                }
            }
        }
        for (TableEntry entry : changed(before, after)) {
            TableSchema schema = entry.schema();
            TableVersions versions = new TableVersions(schema, entry.history());
            boolean isNew = before.findTable(schema.id()).isEmpty();
            for (ShardId id : schema.shards()) {
                if (isNew) {
                    shard(id).putTable(versions);
                } else {
                    shard(id).expectTable(versions);
                }
                if (entry.state() == TableState.REPLACED) {
                    shard(id).replaceTable(schema.id());
                }
            }
        }
    }

    /**
     * Follows a visible change of the catalog, after {@link #expect}: removes dropped tables, and
     * changes names, columns and indexes. Changed columns are in effect when the contexts have run
     * the tasks submitted here ({@link #joined}).
     */
    public void follow(Catalog before, Catalog after) {
        for (TableEntry entry : changed(before, after)) {
            TableSchema schema = entry.schema();
            TableVersions versions = new TableVersions(schema, entry.history());
            // Also new tables: expect may have failed before it added them
            schema.shards().forEach(id -> shard(id).putTable(versions));
            boolean isIndexed =
                    before.findTable(schema.id())
                            .map(old -> old.schema().options().indexes())
                            .filter(old -> !old.equals(schema.options().indexes()))
                            .isPresent();
            if (isIndexed) {
                schema.shards().forEach(id -> followIndexes(entry(id), schema.id()));
            }
        }
        for (TableEntry entry : before.tables()) {
            if (after.findTable(entry.schema().id()).isEmpty()) {
                drop(entry.schema());
                snapshots.forget(entry.schema().id());
            }
        }
    }

    /** The tables that are new or changed in the later catalog. */
    @SuppressWarnings("ReferenceEquality") // the catalog reuses entries that do not change
    private static List<TableEntry> changed(Catalog before, Catalog after) {
        return after.tables().stream()
                .filter(
                        entry ->
                                before.findTable(entry.schema().id())
                                        .filter(old -> old == entry)
                                        .isEmpty())
                .toList();
    }

    private static void followIndexes(Entry entry, TableId tableId) {
        entry.shard()
                .context()
                .execute(
                        () ->
                                entry.shard()
                                        .findTable(tableId)
                                        .ifPresent(entry.maintenance()::followIndexes));
    }

    private void drop(TableSchema schema) {
        for (ShardId id : schema.shards()) {
            Entry entry = entry(id);
            entry.shard()
                    .forgetSetAside(schema.id())
                    .ifPresent(
                            table ->
                                    entry.shard()
                                            .context()
                                            .execute(() -> entry.maintenance().dropTable(table)));
            entry.shard()
                    .findTable(schema.id())
                    .ifPresent(
                            table -> {
                                entry.shard().removeTable(schema.id());
                                entry.shard()
                                        .context()
                                        .execute(() -> entry.maintenance().dropTable(table));
                            });
        }
    }

    @Override
    public void onDurable(ShardId shard, List<DurableRecord> records) {
        shard(shard).onDurable(records);
    }

    @Override
    public void onFailure(SteleException cause) {
        for (Entry entry : entries.values()) {
            entry.shard()
                    .context()
                    .execute(
                            () -> {
                                entry.shard().fail(cause);
                                entry.maintenance().afterApply();
                            });
        }
        failed.complete(EngineFailure.of(cause));
    }

    /** Completes when the log has failed for good, or another engine owns a shard; never fails. */
    public CompletableFuture<EngineFailure> failed() {
        return failed.copy();
    }

    /** Completes when the contexts of these shards have run all tasks submitted before. */
    public CompletableFuture<@Nullable Void> joined(Collection<ShardId> ids) {
        CompletableFuture<?>[] joins =
                ids.stream()
                        .map(id -> shard(id).context().fence())
                        .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(joins).thenApply(done -> null);
    }

    /**
     * Sets the shards that the catalog does not have, which do not retain the log.
     *
     * @param records their records that must be stored elsewhere before the log deletes them
     */
    public void passOver(Set<ShardId> shards, Map<ShardId, RetainedRecords> records) {
        unknown = Set.copyOf(shards);
        lostRecords = Map.copyOf(records);
    }

    /** Tables of transactions that are prepared and have no outcome yet. */
    public Set<TableId> tablesInDoubt() {
        Set<TableId> tables = new HashSet<>();
        for (Entry entry : entries.values()) {
            entry.shard().inDoubt().forEach(part -> tables.addAll(part.tables()));
        }
        return tables;
    }

    /** Tables that the catalog does not have, but of which a shard has found records. */
    public Set<TableId> lostTables() {
        Set<TableId> lost = new HashSet<>();
        entries.values().forEach(entry -> lost.addAll(entry.shard().lostTables()));
        return lost;
    }

    /** The log records that the shards need; each shard is read on its context. */
    public CompletableFuture<LogNeeds> logNeeds() {
        Map<ShardId, Lsn> flushed = new ConcurrentHashMap<>();
        Map<ShardId, RetainedRecords> retained = new ConcurrentHashMap<>(lostRecords);
        unknown.forEach(shard -> flushed.put(shard, Lsn.MAX));
        CompletableFuture<?>[] all =
                entries.values().stream()
                        .map(Entry::shard)
                        .map(shard -> shard.context().submit(() -> ask(shard, flushed, retained)))
                        .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(all).thenApply(done -> new LogNeeds(flushed, retained));
    }

    private static boolean ask(
            TableGroupShard shard,
            Map<ShardId, Lsn> flushed,
            Map<ShardId, RetainedRecords> retained) {
        shard.retainedRecords().ifPresent(records -> retained.put(shard.id(), records));
        long needed = shard.minLogLsn();
        if (shard.failure().isPresent()) {
            flushed.put(shard.id(), Lsn.MAX);
        } else {
            Lsn applied = shard.appliedLsn();
            flushed.put(shard.id(), needed <= applied.value() ? new Lsn(needed - 1) : applied);
        }
        return true;
    }

    /**
     * The log records that the shards of a node need.
     *
     * @param flushed for each shard the highest LSN that the log need not retain, inclusive
     * @param retained for each shard the records to store elsewhere before the log deletes them
     */
    public record LogNeeds(Map<ShardId, Lsn> flushed, Map<ShardId, RetainedRecords> retained) {}

    /** A forwarder of events to the present listener, if there is one. */
    private static final class ForwardedFailures implements MaintenanceListener {
        private final CompletableFuture<EngineFailure> failed;
        private volatile @Nullable MaintenanceListener listener;

        ForwardedFailures(CompletableFuture<EngineFailure> failed) {
            this.failed = failed;
        }

        @Override
        public void ownershipLost(SteleException cause) {
            failed.complete(EngineFailure.of(cause));
        }

        @Override
        public void failed(MaintenanceFailure failure) {
            MaintenanceListener present = listener;
            if (present != null) {
                present.failed(failure);
            }
        }

        @Override
        public void recovered(MaintenanceFailure last) {
            MaintenanceListener present = listener;
            if (present != null) {
                present.recovered(last);
            }
        }

        @Override
        public void logSpaceChanged(LogSpace space) {
            MaintenanceListener present = listener;
            if (present != null) {
                present.logSpaceChanged(space);
            }
        }
    }
}
