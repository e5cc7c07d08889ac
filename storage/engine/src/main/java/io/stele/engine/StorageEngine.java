package io.stele.engine;

import static java.util.Objects.requireNonNull;

import io.stele.engine.aggregate.AggregateCache;
import io.stele.engine.aggregate.AggregateScan;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.garbage.FileCollector;
import io.stele.engine.garbage.OrphanSearch;
import io.stele.engine.job.Job;
import io.stele.engine.job.JobKey;
import io.stele.engine.job.Jobs;
import io.stele.engine.job.Progress;
import io.stele.engine.maintenance.IndexBuilds;
import io.stele.engine.maintenance.Maintenance;
import io.stele.engine.maintenance.PeriodicMaintenance;
import io.stele.engine.maintenance.ReplacedTableCollector;
import io.stele.engine.node.EngineClock;
import io.stele.engine.node.EngineFailure;
import io.stele.engine.node.EngineLog;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.Shards;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.node.WriteBudget;
import io.stele.engine.node.WriteRoom;
import io.stele.engine.read.FileListCache;
import io.stele.engine.read.KeyDirection;
import io.stele.engine.read.KeyRange;
import io.stele.engine.read.KeyRangeLimits;
import io.stele.engine.read.KeyRangeScan;
import io.stele.engine.read.LookedUpRows;
import io.stele.engine.read.PartitionSummary;
import io.stele.engine.read.PointLookup;
import io.stele.engine.read.RowRoom;
import io.stele.engine.read.SnapshotOpener;
import io.stele.engine.read.TableFileLister;
import io.stele.engine.read.TableReads;
import io.stele.engine.recovery.DamageDrops;
import io.stele.engine.recovery.FileOpenings;
import io.stele.engine.recovery.LostTables;
import io.stele.engine.recovery.RetainedLog;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.maintenance.MaintenanceListener;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.statistics.MetadataVersions;
import io.stele.engine.statistics.TableStatisticsCollector;
import io.stele.engine.status.EngineStatus;
import io.stele.engine.status.EngineStatusCollector;
import io.stele.engine.status.IndexStatus;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.engine.transaction.BulkLoad;
import io.stele.engine.transaction.CommittedTransactions;
import io.stele.engine.transaction.DecisionCollector;
import io.stele.engine.transaction.LoadWait;
import io.stele.engine.transaction.PartitionDeleteCheck;
import io.stele.engine.transaction.Retries;
import io.stele.engine.transaction.Transactions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LogFiles;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.maintenance.PartitionFiles;
import io.stele.protocol.api.maintenance.TableShardFiles;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.LookupKeys;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The entry point to a node's storage engine, for the sidecar: the catalog, writes, transactions,
 * snapshots, reads and maintenance of all its shards.
 *
 * <p>Futures fail with, and methods throw, a {@link io.stele.protocol.SteleException}. Futures
 * complete on the engine's own threads, which dependent actions must not block. Safe for use by
 * many threads.
 */
public final class StorageEngine implements AutoCloseable {
    private final CatalogService catalog;
    private final Shards shards;
    private final TableFiles files;
    private final TableStatisticsCollector statistics;
    private final MetadataVersions metadata;
    private final EngineLog log;
    private final SnapshotRegistry snapshots;
    private final FileOpenings openings;
    private final Optional<OrphanSearch> orphans;
    private final SnapshotOpener snapshotOpener;
    private final TableReads reads;
    private final Transactions transactions;
    private final Retries retries;
    private final Maintenance maintenance;
    private final IndexBuilds indexBuilds;
    private final PeriodicMaintenance periodicMaintenance;
    private final EngineStatusCollector status;
    private final DamageDrops damageDrops;
    private final WriteBudget budget;
    private final Optional<String> history;
    private volatile boolean closed;

    StorageEngine(
            StorageOptions options,
            EngineThreads threads,
            EngineClock clock,
            HybridClock lsns,
            CatalogService catalog,
            Shards shards,
            EngineLog log,
            RetainedLog retainedLog,
            TableFiles files,
            SnapshotRegistry snapshots,
            FileCollector collector,
            Transactions transactions,
            WriteBudget budget,
            Retries retries,
            DecisionCollector decisionCollector,
            CommittedTransactions committed,
            IndexBuilds indexBuilds,
            Jobs jobs,
            LostTables lost,
            FileOpenings openings,
            Optional<OrphanSearch> orphans,
            Optional<String> history,
            long epoch) {
        this.openings = openings;
        this.orphans = orphans;
        this.history = history;
        this.catalog = catalog;
        this.files = files;
        FileListCache fileLists = new FileListCache(FileListCache.MAX_BYTES, threads.nanoTime());
        this.statistics =
                new TableStatisticsCollector(
                        id -> shards.shard(id).appliedLsn().value(), fileLists::select);
        this.metadata = new MetadataVersions(epoch, catalog, shards, statistics);
        this.shards = shards;
        this.log = log;
        this.snapshots = snapshots;
        this.snapshotOpener = new SnapshotOpener(log, shards, snapshots, catalog);
        this.reads =
                new TableReads(
                        catalog, shards, files, snapshots, fileLists, options.maxChangesBytes());
        this.transactions = transactions;
        this.budget = budget;
        this.retries = retries;
        this.maintenance =
                new Maintenance(
                        catalog, shards, snapshots, transactions.orphanFiles(files, epoch), jobs);
        this.indexBuilds = indexBuilds;
        this.periodicMaintenance =
                new PeriodicMaintenance(
                        threads,
                        clock,
                        shards,
                        log,
                        retainedLog,
                        snapshots,
                        collector,
                        transactions,
                        retries,
                        decisionCollector,
                        committed,
                        indexBuilds,
                        new ReplacedTableCollector(catalog, snapshots),
                        catalog);
        this.status =
                new EngineStatusCollector(
                        lsns,
                        snapshots,
                        transactions,
                        shards,
                        log,
                        files,
                        fileLists,
                        catalog,
                        lost);
        this.damageDrops =
                new DamageDrops(
                        files.store(),
                        shards::manifests,
                        catalog,
                        () -> status.collect().damages(),
                        threads.background());
    }

    /**
     * Opens the engine: loads the manifests, replays the log, resolves in-doubt transactions. The
     * engine serves when the call returns.
     *
     * @param clock the source of the LSNs. It may be wrong: of several engines on one warehouse,
     *     the one opened last owns the shards, whatever its clock
     * @throws io.stele.protocol.SteleException CORRUPT_DATA or STORE_FAILED; nothing that the next
     *     attempt needs was changed
     */
    public static StorageEngine open(
            StorageOptions options,
            ObjectStore warehouse,
            LogFiles log,
            HybridClock clock,
            EngineThreads threads)
            throws IOException {
        return EngineAssembly.open(options, warehouse, log, clock, threads);
    }

    /**
     * The identity of the history of this warehouse, in one line: its location, its log, and the
     * parts of both that were given up. Within one history, rows of a file are deleted in one
     * order, so that the number of deleted rows determines these rows. In another history, the same
     * number may mean other rows.
     *
     * @return empty where the log cannot be read
     */
    public Optional<String> history() {
        return history;
    }

    Transactions transactions() {
        return transactions;
    }

    TableGroupShard shard(ShardId id) {
        return shards.shard(id);
    }

    /**
     * Changes a column of a table, or a field inside one; completes when it is in effect in all
     * shards. Nothing is rewritten: earlier rows and files are mapped when they are read.
     *
     * @param schemaVersion the version the change was made for
     * @throws SteleException as {@link CatalogService#alterTable}
     */
    public CompletableFuture<TableSchema> alterTable(
            TableId tableId, int schemaVersion, ColumnChange change) {
        try {
            checkOpen();
            // Its files may have columns of a catalog version that is lost
            schema(tableId).shards().forEach(id -> shards.shard(id).checkNotSetAside(tableId));
            TableSchema changed = catalog.alterTable(tableId, schemaVersion, change);
            return inEffect(changed).thenApply(ignored -> changed);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Completes when all shards of a table have the present schema version of the catalog. */
    public CompletableFuture<?> inEffect(TableSchema table) {
        return shards.joined(table.shards());
    }

    /**
     * The catalog of schemas and tables, whose statements take effect in this engine at once.
     * Columns must be changed by {@link #alterTable} instead. Throws if the catalog is damaged.
     */
    public CatalogService catalog() {
        if (catalog.damage().isPresent()) {
            throw catalog.damage().get().refusal();
        }
        return catalog;
    }

    /** The catalog, also if it is damaged; a damaged catalog has no tables. */
    public CatalogService knownCatalog() {
        return catalog;
    }

    /**
     * Writes a batch; completes when it is durable and every later read sees it.
     *
     * @param sequence ascending for each writer and shard; a repeated number gets the outcome of
     *     its first write
     * @param batch must not change any more, because the memtable refers to it
     */
    public CompletableFuture<Lsn> write(
            ShardId shard, UUID writerId, long sequence, byte[] batch, int offset, int length) {
        return apply(shard, writerId, sequence, batch, offset, length).thenApply(WriteOutcome::lsn);
    }

    /** As {@link #write}, also with the number of operations that had no effect. */
    public CompletableFuture<WriteOutcome> apply(
            ShardId shard, UUID writerId, long sequence, byte[] batch, int offset, int length) {
        return apply(shard, writerId, sequence, batch, offset, length, writeRoom());
    }

    /**
     * As {@link #apply(ShardId, UUID, long, byte[], int, int)}, for a batch whose client holds
     * memory of the write budget since it was received.
     *
     * @param room the client's memory, which is handed over to the batch; missing bytes are taken
     *     from the budget
     */
    public CompletableFuture<WriteOutcome> apply(
            ShardId shard,
            UUID writerId,
            long sequence,
            byte[] batch,
            int offset,
            int length,
            WriteRoom room) {
        try {
            checkOpen();
            if (catalog.isUnsettled()) {
                TableId tableId = new WriteBatchReader(batch, offset, length).tableId();
                Optional<SteleException> busy = catalog.findUnsettled(tableId);
                if (busy.isPresent()) {
                    return shards.shard(shard).postpone(writerId, sequence, busy.get());
                }
            }
            return admit(shards.shard(shard), writerId, sequence, batch, offset, length, room);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private CompletableFuture<WriteOutcome> admit(
            TableGroupShard shard,
            UUID writerId,
            long sequence,
            byte[] batch,
            int offset,
            int length,
            WriteRoom room) {
        Optional<SteleException> busy = room.handOver(length);
        if (busy.isPresent()) {
            return shard.postpone(writerId, sequence, busy.get());
        }
        CompletableFuture<WriteOutcome> outcome;
        try {
            outcome = shard.write(writerId, sequence, batch, offset, length);
        } catch (RuntimeException | Error e) {
            budget.giveBack(length);
            throw e;
        }
        outcome.whenComplete((written, failed) -> budget.giveBack(length));
        return outcome;
    }

    /**
     * A new reservation in the budget of all pending writes, for the bytes that one client sends;
     * it holds nothing yet.
     */
    public WriteRoom writeRoom() {
        return budget.room();
    }

    /**
     * Refuses a batch that was not read, because there was no room for it. A batch that was already
     * applied, under the same sequence, is still acknowledged.
     */
    public CompletableFuture<WriteOutcome> postpone(
            ShardId shard, UUID writerId, long sequence, SteleException busy) {
        try {
            checkOpen();
            return shards.shard(shard).postpone(writerId, sequence, busy);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /**
     * The bytes of writes that are being received, of batches that are not acknowledged yet, and of
     * rows staged in transactions.
     */
    public long pendingWriteBytes() {
        return budget.usedBytes();
    }

    /**
     * Begins a transaction and returns its id. With {@code readLsn}, the commit fails if another
     * write changed one of its keys after that LSN.
     */
    public String beginTransaction(TableId tableId, Optional<Lsn> readLsn) {
        return beginTransaction(tableId, readLsn, Optional.empty());
    }

    /**
     * As {@link #beginTransaction(TableId, Optional)}, with a lease.
     *
     * @param ttl the transaction is aborted if it is not renewed, and no rows are staged, for this
     *     long; empty: the default for clients that do not renew
     */
    public String beginTransaction(TableId tableId, Optional<Lsn> readLsn, Optional<Duration> ttl) {
        return beginTransaction(tableId, readLsn, ttl, true);
    }

    /**
     * As {@link #beginTransaction(TableId, Optional, Optional)}, for a session of this process. Its
     * client does not know the transaction, so nobody can request its outcome after a restart.
     */
    public String beginSessionTransaction(
            TableId tableId, Optional<Lsn> readLsn, Optional<Duration> ttl) {
        return beginTransaction(tableId, readLsn, ttl, false);
    }

    private String beginTransaction(
            TableId tableId, Optional<Lsn> readLsn, Optional<Duration> ttl, boolean isRepeatable) {
        checkOpen();
        schema(tableId);
        throwIfUnsettled(tableId);
        return transactions.begin(readLsn, tableId, ttl, isRepeatable);
    }

    /** Prolongs the lease of a transaction to {@code ttl} from now; false if it has ended. */
    public boolean renewTransaction(String transactionId, Duration ttl) {
        return transactions.renew(transactionId, ttl);
    }

    /**
     * Adds a batch to a transaction. The batch is checked and copied now, and written with the
     * commit.
     *
     * @throws io.stele.protocol.SteleException TRANSACTION_NOT_FOUND, TRANSACTION_TOO_LARGE, or the
     *     error of an invalid batch
     */
    public void stage(String transactionId, ShardId shard, byte[] batch, int offset, int length) {
        stage(transactionId, Optional.empty(), shard, batch, offset, length, writeRoom());
    }

    /**
     * As {@link #stage(String, ShardId, byte[], int, int)}, as one part of the transaction, which
     * is committed only if the commit names it.
     *
     * @param room the client's memory, which is handed over to the staged rows; missing bytes are
     *     taken from the budget
     */
    public void stage(
            String transactionId,
            Optional<UUID> part,
            ShardId shard,
            byte[] batch,
            int offset,
            int length,
            WriteRoom room) {
        checkOpen();
        WriteBatchReader reader = new WriteBatchReader(batch, offset, length);
        shards.shard(shard).validate(reader);
        throwIfUnsettled(reader.tableId());
        transactions.stage(
                transactionId, part, shard, reader.tableId(), batch, offset, length, room);
    }

    /**
     * Makes the staged rows and the files visible at one LSN, in all shards or none. Safe to
     * repeat: for a committed transaction it returns the LSN, also after a restart.
     *
     * <p>Where two files of one transaction have the same key, the later file in the list wins;
     * staged rows win over files.
     */
    public CompletableFuture<Lsn> commit(
            String transactionId, List<WrittenFile> written, Optional<TableId> publish) {
        return commit(transactionId, written, publish, Optional.empty());
    }

    /**
     * As {@link #commit(String, List, Optional)}, and also replaces the rows of a table.
     *
     * @param replace a table without primary key, all of whose rows are deleted at the commit LSN,
     *     so that the rows of the transaction replace them; TRANSACTION_CONFLICT if the transaction
     *     has a read LSN and the table changed after it
     */
    public CompletableFuture<Lsn> commit(
            String transactionId,
            List<WrittenFile> written,
            Optional<TableId> publish,
            Optional<TableId> replace) {
        return commit(transactionId, written, publish, replace, Optional.empty());
    }

    /**
     * As {@link #commit(String, List, Optional, Optional)}, for some parts of the transaction.
     *
     * @param parts the parts to commit; rows staged as other parts are not committed; empty: all
     *     rows
     */
    public CompletableFuture<Lsn> commit(
            String transactionId,
            List<WrittenFile> written,
            Optional<TableId> publish,
            Optional<TableId> replace,
            Optional<List<UUID>> parts) {
        try {
            checkOpen();
            return transactions.commit(transactionId, written, false, publish, replace, parts);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /**
     * Begins to load many rows into a table by a transaction, which its caller commits with {@link
     * #commitLoad} or aborts.
     *
     * @param table in the version of the rows
     * @param ttl as of the transaction; rows prolong it
     * @param wait of the client's thread
     * @throws SteleException TRANSACTION_NOT_FOUND
     */
    public BulkLoad load(String transactionId, TableSchema table, Duration ttl, LoadWait wait) {
        checkOpen();
        return transactions.load(transactionId, table, ttl, wait);
    }

    /**
     * Gives up the commit of a load's files, if it has not come to the log: its outcome is then
     * TRANSACTION_ABORTED, and nothing is changed. Else it has no effect.
     */
    public void giveUpCommit(String transactionId) {
        transactions.giveUpCommit(transactionId);
    }

    /**
     * As {@link #commit}, of a transaction that inserts rows.
     *
     * @param written what {@link BulkLoad#finish} returned: DUPLICATE_KEY if a key has a row, or
     *     comes twice
     */
    public CompletableFuture<Lsn> commitLoad(
            String transactionId, List<WrittenFile> written, Optional<TableId> publish) {
        try {
            checkOpen();
            return transactions.commit(
                    transactionId, written, true, publish, Optional.empty(), Optional.empty());
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /**
     * Deletes all rows of some partitions, in all shards at one LSN. The cost depends on the number
     * of files and of rows in memory, not on all rows. Snapshots before it still see the rows. Rows
     * that are written meanwhile and get a lower LSN are deleted too.
     *
     * @param partitions domains of columns of {@code partitioned_by}; {@link ScanPredicate#ALL}:
     *     every row of the table
     * @throws SteleException INVALID_ARGUMENT: other columns; BUSY: too many range tombstones that
     *     compactions have not yet applied to SST files
     */
    public CompletableFuture<Lsn> deletePartitions(TableId tableId, ScanPredicate partitions) {
        return deletePartitions(Optional.empty(), tableId, partitions);
    }

    /**
     * As {@link #deletePartitions(TableId, ScanPredicate)}, within a transaction.
     *
     * @param transactionId an open transaction without rows, which this call commits. If it is
     *     already committed, nothing is deleted again, and the outcome of the first request is
     *     returned
     */
    public CompletableFuture<Lsn> deletePartitions(
            Optional<String> transactionId, TableId tableId, ScanPredicate partitions) {
        try {
            checkOpen();
            if (transactionId.isPresent()) {
                Optional<CompletableFuture<Lsn>> known =
                        transactions.findEnded(transactionId.get());
                if (known.isPresent()) {
                    return known.get();
                }
            }
            TableSchema schema = schema(tableId);
            throwIfUnsettled(tableId);
            PartitionDeleteCheck.check(schema, partitions, shards);
            return transactions.deletePartitions(
                    transactionId.orElseGet(() -> transactions.beginDelete(tableId)),
                    schema,
                    partitions);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /**
     * An LSN at or above the LSN of the last change of a table's rows: a read at this LSN or later
     * saw the present rows. STALE_TABLE if the table is dropped.
     */
    public Lsn changedLsn(TableId tableId) {
        checkOpen();
        long newest = 0;
        for (TableShard table : shards.table(anySchema(tableId))) {
            newest = Math.max(newest, table.changedLsn());
        }
        return new Lsn(newest);
    }

    /**
     * The outcome of a transaction whose commit request got no answer. Completes with its LSN, or
     * fails with TRANSACTION_NOT_FOUND if it is not committed and never will be.
     */
    public CompletableFuture<Lsn> transactionOutcome(String transactionId) {
        checkOpen();
        return transactions.findOutcome(transactionId);
    }

    private void throwIfUnsettled(TableId tableId) {
        catalog.findUnsettled(tableId)
                .ifPresent(
                        busy -> {
                            throw busy;
                        });
    }

    /** Aborts a transaction; an unknown or finished transaction is no error. */
    public CompletableFuture<@Nullable Void> abort(String transactionId) {
        return transactions.abort(transactionId);
    }

    /**
     * Opens a snapshot at {@code at}, or at the present, which sees every write acknowledged before
     * the call. Completes when all shards have applied everything at or below it. SNAPSHOT_EXPIRED
     * if {@code at} is before the history that any table retains. If it is before the history of
     * one table, reading that table fails.
     */
    public CompletableFuture<LeasedSnapshot> openSnapshot(Optional<Lsn> at, Duration ttl) {
        return openSnapshot(at, Optional.empty(), ttl);
    }

    /**
     * As {@link #openSnapshot(Optional, Duration)}; INVALID_ARGUMENT if the snapshot would be
     * before {@code atLeast}. A caller that passes the LSN of a write that was acknowledged here
     * sees that write.
     */
    public CompletableFuture<LeasedSnapshot> openSnapshot(
            Optional<Lsn> at, Optional<Lsn> atLeast, Duration ttl) {
        return openSnapshot(at, atLeast, ttl, Set.of());
    }

    /**
     * As {@link #openSnapshot(Optional, Optional, Duration)}, for some tables: the snapshot retains
     * only their history, and no other table can be read at it.
     *
     * @param tables empty: all
     */
    public CompletableFuture<LeasedSnapshot> openSnapshot(
            Optional<Lsn> at, Optional<Lsn> atLeast, Duration ttl, Set<TableId> tables) {
        try {
            checkOpen();
            return snapshotOpener.open(at, atLeast, ttl, tables);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** An open snapshot; SNAPSHOT_EXPIRED if there is none with the id. */
    public LeasedSnapshot snapshot(String snapshotId) {
        return snapshots.find(snapshotId);
    }

    /**
     * A table as of a snapshot, which has another id if the table was truncated or replaced since.
     *
     * @throws SteleException SNAPSHOT_EXPIRED if its history does not reach back so far,
     *     INVALID_ARGUMENT if there was no such table
     */
    public SchemaHistory.AsOf tableAsOf(LeasedSnapshot snapshot, TableId tableId) {
        TableEntry entry = catalog().current().entryAsOf(tableId, snapshot.lsn());
        snapshots.check(snapshot.lsn(), entry.schema());
        return entry.history().asOf(entry.schema(), snapshot.lsn());
    }

    /** Prolongs a lease to {@code ttl} from now; SNAPSHOT_EXPIRED if it is over. */
    public void renewSnapshot(String snapshotId, Duration ttl) {
        snapshots.renew(snapshotId, ttl.toMillis());
    }

    /** Ends a lease; a lease that is already over is no error. */
    public void closeSnapshot(String snapshotId) {
        snapshots.close(snapshotId);
    }

    /** As the other overload, for the present schema version of the catalog. */
    public ScanPlan plan(LeasedSnapshot snapshot, TableId tableId, ScanPredicate predicate) {
        return plan(snapshot, tableId, schemaVersion(snapshot, tableId), predicate);
    }

    /**
     * The plan of a scan: column files for the caller, and shards that stream the other rows.
     *
     * @param schemaVersion the version to which the caller's columns and predicate belong
     * @throws SteleException STALE_TABLE if columns were changed after that version and before this
     *     snapshot first read the table
     */
    public ScanPlan plan(
            LeasedSnapshot snapshot, TableId tableId, int schemaVersion, ScanPredicate predicate) {
        return reads().plan(snapshot, tableId, schemaVersion, predicate);
    }

    /**
     * The plan of a scan of all rows of a table. The plan is omitted if the caller has it already
     * or if it is too large.
     *
     * @throws SteleException as {@link #plan}
     */
    public TablePlan tablePlan(LeasedSnapshot snapshot, CachedPlan known) {
        return reads().tablePlan(snapshot, known);
    }

    /** As the other overload, for the present schema version of the catalog. */
    public RowCursor scan(
            LeasedSnapshot snapshot,
            TableId tableId,
            ShardId shard,
            ScanMode mode,
            ScanPredicate predicate,
            List<Integer> columnIds)
            throws IOException {
        int schemaVersion = schemaVersion(snapshot, tableId);
        return scan(snapshot, tableId, schemaVersion, shard, mode, predicate, columnIds);
    }

    /** As the other overload, for the present schema version of the catalog. */
    public ScanPlan planLookups(LeasedSnapshot snapshot, TableId tableId, ScanPredicate predicate)
            throws IOException {
        return planLookups(snapshot, tableId, schemaVersion(snapshot, tableId), predicate);
    }

    /**
     * As {@link #plan}, but shards where a secondary index finds the few rows of the predicate are
     * to be read with {@link ScanMode#LOOKUP}. Blocks on files.
     */
    public ScanPlan planLookups(
            LeasedSnapshot snapshot, TableId tableId, int schemaVersion, ScanPredicate predicate)
            throws IOException {
        return reads().planLookups(snapshot, tableId, schemaVersion, predicate);
    }

    /**
     * A cursor over rows of one shard: in mode LIVE the rows in memory, in SNAPSHOT all rows, in
     * LOOKUP the rows that an index finds for the predicate. Blocks on files.
     *
     * @param schemaVersion as {@link #plan}
     * @param predicate rows that cannot match may be omitted
     * @param columnIds a hint: only these columns are needed, and other columns may be null; empty:
     *     all
     */
    public RowCursor scan(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ShardId shard,
            ScanMode mode,
            ScanPredicate predicate,
            List<Integer> columnIds)
            throws IOException {
        requireNonNull(columnIds, "columnIds is null");
        return reads().scan(snapshot, tableId, schemaVersion, shard, mode, predicate);
    }

    /**
     * A cursor over the changes of the rows of one shard in a range of LSNs, in LSN order and in
     * bounded memory. Blocks on files.
     *
     * @param schemaVersion as {@link #plan}
     * @param after the exclusive lower bound, in the history that the table retains; the caller
     *     holds a snapshot there
     * @param upTo the inclusive upper bound, at or below the snapshot
     * @param predicate changes whose row cannot match are omitted
     * @param withBeforeImages whether the row before an update is returned as well
     * @throws SteleException SNAPSHOT_EXPIRED if the history does not reach back so far
     */
    public RowCursor changes(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ShardId shard,
            Lsn after,
            Lsn upTo,
            ScanPredicate predicate,
            boolean withBeforeImages)
            throws IOException {
        return reads().changes(
                        snapshot,
                        tableId,
                        schemaVersion,
                        shard,
                        after,
                        upTo,
                        predicate,
                        withBeforeImages);
    }

    /**
     * An aggregation of all rows of a table that match a predicate. Its parts are computed by the
     * caller's threads.
     *
     * @param schemaVersion as {@link #plan}
     * @param predicate the filter of the rows, which is applied completely
     * @param cache the cached results of files; empty: everything is computed
     * @param maxBytes the limit for the groups in memory at once, in each thread that computes
     *     parts
     * @throws SteleException INVALID_ARGUMENT or COLUMN_NOT_FOUND: not an aggregation of this
     *     table; STALE_TABLE as {@link #plan}
     */
    public AggregateScan aggregate(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ScanPredicate predicate,
            Aggregation aggregation,
            Optional<AggregateCache> cache,
            long maxBytes) {
        return reads().aggregate(
                        snapshot, tableId, schemaVersion, predicate, aggregation, cache, maxBytes);
    }

    /**
     * A cursor over the rows of all shards that match a predicate. If the predicate sets all
     * columns of the primary key, or of a unique index, to single values, the rows are looked up by
     * key; otherwise they are scanned. Blocks on files.
     *
     * @param schemaVersion as {@link #plan}
     * @param predicate rows that do not match are omitted
     * @param keys the keys to look up instead of the predicate's, which need not list any
     */
    public RowCursor lookUp(
            LeasedSnapshot snapshot,
            TableId tableId,
            int schemaVersion,
            ScanPredicate predicate,
            Optional<LookupKeys> keys)
            throws IOException {
        return reads().lookUp(snapshot, tableId, schemaVersion, predicate, keys);
    }

    /**
     * The rows of keys, in the order of the keys; empty for absent keys. The rows are shared and
     * must not be changed. Without an LSN, each key's latest acknowledged row is returned; with an
     * LSN, the rows as of it. It must be at or below an acknowledged LSN and within the retained
     * history. Blocks on files.
     */
    public List<Optional<byte[]>> multiGet(
            TableId tableId, Optional<Lsn> readLsn, List<byte[]> keys) throws IOException {
        return lookup(tableId, readLsn, keys).rows();
    }

    /** As {@link #multiGet}, also with the schema version of the rows. */
    public LookedUpRows lookup(TableId tableId, Optional<Lsn> readLsn, List<byte[]> keys)
            throws IOException {
        PointLookup lookup = startLookup(tableId, readLsn, keys);
        boolean done = false;
        while (!done) {
            done = lookup.advance();
        }
        return lookup.rows();
    }

    /** As {@link #lookup}, in steps that the caller runs. */
    public PointLookup startLookup(TableId tableId, Optional<Lsn> readLsn, List<byte[]> keys) {
        return startLookup(tableId, readLsn, keys, RowRoom.UNLIMITED);
    }

    /**
     * As {@link #startLookup(TableId, Optional, List)}, for the rows of only as many of the first
     * keys as there is room for; the lookup never holds more.
     */
    public PointLookup startLookup(
            TableId tableId, Optional<Lsn> readLsn, List<byte[]> keys, RowRoom room) {
        return reads().startLookup(tableId, readLsn, keys, room);
    }

    /**
     * A scan of one page of the rows of one shard whose keys are in a range, in or against the
     * order of keys and up to some limits, in steps that the caller runs. Without an LSN it returns
     * the latest acknowledged rows of the shard, with an LSN the rows as of it, as {@link
     * #multiGet}.
     *
     * @throws SteleException INVALID_ARGUMENT if the table has no row tablets or does not have that
     *     shard
     */
    public KeyRangeScan startKeyScan(
            TableId tableId,
            int shardIndex,
            Optional<Lsn> readLsn,
            KeyRange range,
            KeyDirection direction,
            KeyRangeLimits limits,
            RowRoom room) {
        return reads().startKeyScan(tableId, shardIndex, readLsn, range, direction, limits, room);
    }

    /**
     * The rows whose values in the first columns of an index are given, at most {@code limit}, in
     * the order of the index: without an LSN the present rows, with an LSN the rows as of it, as
     * {@link #multiGet}. Blocks on files.
     *
     * @param prefix the values, as {@link io.stele.protocol.row.KeyEncoder#forColumns} forms them
     * @throws SteleException UNAVAILABLE while the index is being built
     */
    public List<byte[]> lookupByIndex(
            TableId tableId, int indexId, byte[] prefix, Optional<Lsn> readLsn, int limit)
            throws IOException {
        return reads().lookupByIndex(tableId, indexId, prefix, readLsn, limit);
    }

    /** As the other overload, at a snapshot. */
    public List<byte[]> lookupByIndex(
            TableId tableId, int indexId, byte[] prefix, LeasedSnapshot snapshot, int limit)
            throws IOException {
        return reads().lookupByIndex(tableId, indexId, prefix, snapshot, limit);
    }

    /** The statistics of the rows of a table, without reading the rows. */
    public TableStatistics statistics(TableId tableId) {
        return statistics(tableId, OptionalInt.empty(), ScanPredicate.ALL);
    }

    /**
     * The statistics of the rows of a table, without the files that have no row matching a
     * predicate.
     *
     * @param schemaVersion the version of the columns that the caller knows; for another version
     *     than the present one, the predicate is ignored and there are no statistics of columns;
     *     empty: the present version
     */
    public TableStatistics statistics(
            TableId tableId, OptionalInt schemaVersion, ScanPredicate predicate) {
        TableSchema schema = anySchema(tableId);
        if (schemaVersion.orElse(schema.schemaVersion()) == schema.schemaVersion()) {
            return statistics.collect(schema, shards.table(schema), predicate);
        }
        return statistics.collect(schema, shards.table(schema), ScanPredicate.ALL).withoutColumns();
    }

    /**
     * The names of relations whose definition or statistics have changed since a version.
     *
     * @param since the version of the caller; empty: none
     */
    public MetadataChanges metadataChanges(Optional<MetadataVersion> since) {
        checkOpen();
        return metadata.since(since);
    }

    /**
     * The metadata of a column file that was written recently, for a node that reads it, encoded as
     * {@link io.stele.columnfile.metadata.FileMetadata}. Never reads a file.
     */
    public Optional<byte[]> fileMetadata(String path) {
        checkOpen();
        return files.findMetadata(path);
    }

    /** Caches the metadata of a file that another node wrote. */
    public void keepFileMetadata(String path, byte[] encoded) {
        checkOpen();
        files.keepMetadata(path, encoded);
    }

    /** The partitions of a table that have column files with rows, in the order of their values. */
    public List<PartitionFiles> partitions(TableId tableId) {
        return PartitionSummary.of(shards.table(schema(tableId)));
    }

    /** The present files and in-memory rows of a table, by shard. */
    public List<TableShardFiles> files(TableId tableId) {
        return schema(tableId).shards().stream()
                .map(shards::shard)
                .map(shard -> TableFileLister.of(shard.table(tableId), shard.appliedLsn()))
                .toList();
    }

    /**
     * The present number of files of a table; 0 if the table or one of its shards does not serve.
     */
    public long fileCount(TableId tableId) {
        return catalog.current()
                .findTable(tableId)
                .flatMap(shards::find)
                .map(parts -> parts.stream().mapToLong(part -> part.view().fileCount()).sum())
                .orElse(0L);
    }

    /** Flushes a table; completes when every write acknowledged before the call is in files. */
    public CompletableFuture<@Nullable Void> flush(TableId tableId) {
        return maintenance(work -> work.flush(tableId, new Progress()));
    }

    /**
     * Flushes, then compacts files as far as that makes reads cheaper; completes when no compaction
     * is due.
     */
    public CompletableFuture<@Nullable Void> compact(TableId tableId) {
        return maintenance(work -> work.compact(tableId, new Progress()));
    }

    /** The oldest LSN as of which a table can be read. */
    public Lsn horizon(TableId tableId) {
        return snapshots.horizon(schema(tableId));
    }

    /**
     * Discards the history of a table below an LSN, unless a lease holds it, and compacts files
     * that contain much of that history; completes when no compaction is due.
     */
    public CompletableFuture<@Nullable Void> expireHistory(TableId tableId, Lsn before) {
        return maintenance(work -> work.expireHistory(tableId, before, new Progress()));
    }

    /**
     * Deletes objects among a table's data files that nothing refers to; completes with the number
     * of deleted objects.
     *
     * @param before objects that changed since, by the store's clock, are not deleted
     */
    public CompletableFuture<Long> removeOrphanFiles(TableId tableId, Instant before) {
        return maintenance(work -> work.removeOrphanFiles(tableId, before, new Progress()));
    }

    private <T> CompletableFuture<T> maintenance(Function<Maintenance, CompletableFuture<T>> work) {
        try {
            checkOpen();
            return work.apply(maintenance);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /**
     * Runs long maintenance work as a job: joins a running job for the same work, or starts a new
     * one. Work that only covers the state at its request is done for both requests.
     *
     * @param user the user of the request, if it names one
     * @throws SteleException BUSY if there are too many jobs; TABLE_NOT_FOUND or STALE_TABLE
     */
    public Job runJob(JobKey work, Optional<String> user) {
        checkOpen();
        return maintenance.run(work, user);
    }

    /** The jobs that are running or ended recently. */
    public Jobs jobs() {
        return maintenance.jobs();
    }

    /**
     * Flushes, then writes sketches for the files that have none; completes when all files have
     * sketches.
     */
    public CompletableFuture<@Nullable Void> analyze(TableId tableId) {
        return maintenance(work -> work.analyze(tableId, new Progress()));
    }

    /**
     * Completes when the present indexes of a table are ready for lookups; fails with the error of
     * an index that could not be built, such as STALE_TABLE for an index that was dropped
     * meanwhile.
     */
    public CompletableFuture<@Nullable Void> awaitIndexes(TableId tableId) {
        return indexBuilds.ready(tableId);
    }

    /** The secondary indexes of a table. */
    public List<IndexStatus> indexes(TableId tableId) {
        TableSchema schema = schema(tableId);
        List<TableView> views = shards.table(schema).stream().map(TableShard::view).toList();
        return schema.options().indexes().stream()
                .map(
                        index ->
                                IndexStatus.of(
                                        index,
                                        views.stream()
                                                .flatMap(view -> view.index(index.id()).stream())
                                                .toList()))
                .toList();
    }

    /** Sets the listener that is notified of failed flushes, compactions and manifests. */
    public void notifyMaintenanceFailures(MaintenanceListener listener) {
        shards.notifyFailures(listener);
    }

    /**
     * Completes when the log has failed for good, or when another engine owns the log or a shard.
     * Requests that wait fail at about the same time. It never fails, and does not complete in an
     * orderly close.
     */
    public CompletableFuture<EngineFailure> failed() {
        return shards.failed();
    }

    /** The present status of the engine. */
    public EngineStatus status() {
        return status.collect();
    }

    /**
     * Gives up an object that cannot be used, with all its content; the next start continues
     * without it. Completes when that is durable.
     *
     * @param object as the status names it; INVALID_ARGUMENT if nothing is set aside for it
     */
    public CompletableFuture<@Nullable Void> dropDamaged(String object) {
        return damageDrops.drop(object);
    }

    /**
     * Stops the engine; acknowledged writes are in the log or in files. The caller closes the pools
     * of {@code threads}.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        transactions.close();
        openings.close();
        orphans.ifPresent(OrphanSearch::close);
        maintenance.jobs().close();
        periodicMaintenance.close();
        retries.close();
        log.close();
    }

    private TableReads reads() {
        checkOpen();
        return reads;
    }

    private TableSchema schema(TableId tableId) {
        return catalog().current().table(tableId);
    }

    /** The schema of a table, also if it was replaced and is retained for readers of the past. */
    private TableSchema anySchema(TableId tableId) {
        Catalog current = catalog().current();
        return current.findTable(tableId)
                .map(TableEntry::schema)
                .orElseGet(() -> current.table(tableId));
    }

    private int schemaVersion(LeasedSnapshot snapshot, TableId tableId) {
        return catalog().current().table(tableId, snapshot.lsn()).schemaVersion();
    }

    private void checkOpen() {
        if (closed) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "The storage engine is closed");
        }
        if (catalog.damage().isPresent()) {
            throw catalog.damage().get().refusal();
        }
    }
}
