package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.garbage.FileCollector;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.manifest.KeyIndexFile;
import io.stele.engine.node.BackgroundTasks;
import io.stele.engine.node.EngineClock;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.Shards;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.node.WriteBudget;
import io.stele.engine.node.WriteRoom;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.shard.record.PartitionDelete;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A node's transactions from their beginning to their end: it begins, stages, commits, aborts and
 * expires them, and finds outcomes of repeated commits. Transactions that are not committed live in
 * memory only: a restart drops them, as if they had been aborted. Safe for use by many threads.
 */
public final class Transactions {
    private static final int MAX_OPEN = 10_000; // each may hold rows in memory

    /**
     * From this size of staged rows on, workers may have written files: a search is worth some
     * listings.
     */
    private static final long SWEPT_BYTES = 1 << 20;

    private final StorageOptions options;
    private final WriteBudget budget;
    private final EngineClock clock;
    private final Shards shards;
    private final CatalogService catalog;
    private final Coordinator coordinator;
    private final DecisionStore decisions;
    private final FileCollector collector;
    private final SnapshotRegistry snapshots;
    private final EngineThreads threads;
    private final StagedTables stagedTables;
    private final FileClaims claims;
    private final DecisionCollector decisionCollector;
    private final CommittedTransactions committed;
    private final Supplier<Optional<SteleException>> logDamage;
    private final TableFiles files;
    private final WrittenFileCheck fileCheck;
    private final NewKeyCheck newKeyCheck;
    private final long epoch;
    private final AtomicLong nextId = new AtomicLong();
    private final Map<String, Transaction> open = new ConcurrentHashMap<>();
    private volatile boolean isClosing;

    /**
     * @param logDamage the reason why the log may contain unknown transactions, if it may
     */
    public Transactions(
            StorageOptions options,
            WriteBudget budget,
            EngineClock clock,
            Shards shards,
            CatalogService catalog,
            Coordinator coordinator,
            DecisionStore decisions,
            FileCollector collector,
            SnapshotRegistry snapshots,
            EngineThreads threads,
            StagedTables stagedTables,
            DecisionCollector decisionCollector,
            CommittedTransactions committed,
            Supplier<Optional<SteleException>> logDamage,
            TableFiles files,
            long epoch) {
        this.options = requireNonNull(options, "options is null");
        this.budget = requireNonNull(budget, "budget is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.coordinator = requireNonNull(coordinator, "coordinator is null");
        this.decisions = requireNonNull(decisions, "decisions is null");
        this.collector = requireNonNull(collector, "collector is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.stagedTables = requireNonNull(stagedTables, "stagedTables is null");
        this.decisionCollector = requireNonNull(decisionCollector, "decisionCollector is null");
        this.committed = requireNonNull(committed, "committed is null");
        this.logDamage = requireNonNull(logDamage, "logDamage is null");
        this.files = requireNonNull(files, "files is null");
        this.claims = new FileClaims(shards);
        this.fileCheck = new WrittenFileCheck(files, threads.lookups());
        this.newKeyCheck =
                new NewKeyCheck(
                        shards, files, snapshots, threads.loading(), options.loadBufferBytes());
        this.epoch = epoch;
    }

    /** The job that deletes orphan files, with the set of open transactions. */
    public OrphanFileRemoval orphanFiles(TableFiles files, long epoch) {
        return new OrphanFileRemoval(
                files, shards, claims, open::containsKey, collector, threads.background(), epoch);
    }

    /**
     * Begins a transaction; its id is never used again. The history since {@code readLsn} is
     * retained until it ends. A staged table is dropped if the transaction does not commit.
     *
     * @param ttl how long it lives unless it is renewed, or rows are staged; empty: the default of
     *     the options
     * @param isRepeatable whether a client may ask for its outcome later, also after a restart
     */
    public String begin(
            Optional<Lsn> readLsn, TableId tableId, Optional<Duration> ttl, boolean isRepeatable) {
        return begin(
                tableId,
                readLsn,
                stagedTables.find(tableId),
                ttl.orElse(options.transactionIdle()),
                isRepeatable);
    }

    private String begin(
            TableId tableId,
            Optional<Lsn> readLsn,
            Optional<TableId> stagedTable,
            Duration ttl,
            boolean isRepeatable) {
        if (open.size() >= MAX_OPEN) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected at most " + MAX_OPEN + " open transactions, found " + open.size());
        }
        String id = TransactionIds.of(epoch, nextId.incrementAndGet(), stagedTable);
        Transaction transaction =
                new Transaction(
                        id,
                        filePrefixes(tableId, id), // fails if the table is gone by now
                        readLsn,
                        stagedTable,
                        isRepeatable,
                        options.transactionBytes(),
                        budget,
                        ttl.toMillis(),
                        clock.nowMillis());
        readLsn.ifPresent(snapshots::hold);
        open.put(id, transaction);
        return id;
    }

    public int openCount() {
        return open.size();
    }

    public void stage(
            String id,
            Optional<UUID> part,
            ShardId shard,
            TableId tableId,
            byte[] batch,
            int offset,
            int length,
            WriteRoom room) {
        Transaction transaction = find(id);
        transaction.stage(part, shard, tableId, batch, offset, length, room, clock.nowMillis());
    }

    /**
     * Stages a validated batch whose memory is taken from the node's budget as that of staged rows.
     *
     * @param batch does not change any more
     * @throws SteleException TRANSACTION_NOT_FOUND or TRANSACTION_TOO_LARGE: the memory is still
     *     the caller's
     */
    void stageTaken(String id, ShardId shard, TableId tableId, byte[] batch) {
        find(id).stageTaken(shard, tableId, batch, clock.nowMillis());
    }

    private Transaction find(String id) {
        Transaction transaction = open.get(id);
        if (transaction == null) {
            throw notFound(id);
        }
        return transaction;
    }

    /**
     * Begins to load many rows into a table by an open transaction. The load ends with it.
     *
     * @param table in the version of the rows
     * @param ttl the transaction lives so long after its last rows
     * @param wait the waits of the client's thread
     * @throws SteleException TRANSACTION_NOT_FOUND
     */
    public BulkLoad load(String id, TableSchema table, Duration ttl, LoadWait wait) {
        BulkLoad load =
                new BulkLoad(
                        id,
                        table,
                        ttl,
                        BulkLoadOptions.of(options, budget, table.shardCount()),
                        shards,
                        this,
                        files,
                        budget,
                        threads.loading(),
                        wait,
                        () -> isClosing);
        find(id).whenEnded(load::giveUp);
        return load;
    }

    /** The prefixes of the paths of files that are written for a transaction. */
    List<String> filePrefixes(String id) {
        return find(id).filePrefixes();
    }

    /** Has files deleted that were written for a transaction which does not commit them. */
    void sweep(List<String> prefixes) {
        collector.sweep(prefixes, Set.of());
    }

    /**
     * Gives up the commit of files, while their keys are searched for, before it is decided: its
     * outcome is then TRANSACTION_ABORTED. Else it has no effect.
     */
    public void giveUpCommit(String id) {
        Transaction transaction = open.get(id);
        if (transaction != null) {
            transaction.commitGivenUp().complete(null);
        }
    }

    /**
     * Commits; completes with the commit LSN.
     *
     * @param keysAreNew whether the rows of the files are insertions: DUPLICATE_KEY if a key has a
     *     row, or comes twice
     */
    public CompletableFuture<Lsn> commit(
            String id,
            List<WrittenFile> written,
            boolean keysAreNew,
            Optional<TableId> publish,
            Optional<TableId> replace,
            Optional<List<UUID>> parts) {
        Transaction transaction = open.get(id);
        if (transaction == null) {
            return findCommitted(id);
        }
        if (transaction.hasEnded()) { // also if the tables changed meanwhile
            return transaction.outcome().copy();
        }
        if (!keysAreNew) {
            written.forEach(this::checkColumns);
        }
        Map<ShardId, List<FileEntry>> files = entries(written, keysAreNew);
        if (keysAreNew) {
            written.forEach(this::checkNoIndex);
        }
        Map<ShardId, List<PartitionDelete>> deletes = new TreeMap<>();
        replace.ifPresent(tableId -> deleteAll(replaceable(tableId), ScanPredicate.ALL, deletes));
        checkSettled(transaction, written, publish, replace);
        coordinator.checkRoom(transaction.stagedBytes());
        if (transaction.isRepeatable()) {
            committed.checkRoom();
        }
        if (!transaction.end()) {
            return transaction.outcome().copy();
        }
        try {
            publish.ifPresent(stagedTables::checkPublishable);
            claims.claim(files);
        } catch (RuntimeException | Error refused) {
            end(transaction, refused);
            return transaction.outcome().copy();
        }
        // A writer of many rows may have left temporary objects, though all rows came to the log
        boolean mayHaveWritten = !written.isEmpty() || transaction.stagedBytes() >= SWEPT_BYTES;
        transaction
                .outcome()
                .whenComplete(
                        (lsn, failed) -> {
                            claims.release(files);
                            if (failed == null && mayHaveWritten) {
                                collector.sweep(
                                        transaction.filePrefixes(), Set.copyOf(paths(written)));
                            }
                        });
        Coordinator.Commit commit;
        try {
            collector.adopt(paths(written));
            commit =
                    new Coordinator.Commit(
                            id,
                            transaction.isRepeatable(),
                            transaction.readLsn(),
                            transaction.staged(parts),
                            files,
                            deletes,
                            publish,
                            CheckedKeys.NONE);
        } catch (RuntimeException | Error refused) {
            end(transaction, refused);
            return transaction.outcome().copy();
        }
        if (files.isEmpty()) {
            run(transaction, commit);
        } else {
            check(transaction, files, keysAreNew)
                    .whenComplete(
                            (newKeys, refused) -> {
                                if (refused == null) {
                                    run(transaction, commit.withNewKeys(newKeys));
                                } else {
                                    end(transaction, Coordinator.unwrap(refused));
                                }
                            });
        }
        return transaction.outcome().copy();
    }

    /** Checks files before they come to the log; ends early when the client gives up. */
    private CompletableFuture<CheckedKeys> check(
            Transaction transaction, Map<ShardId, List<FileEntry>> files, boolean keysAreNew) {
        CompletableFuture<CheckedKeys> result = new CompletableFuture<>();
        transaction
                .commitGivenUp()
                .thenRun(() -> result.completeExceptionally(givenUp(transaction.id())));
        fileCheck
                .check(files)
                .thenCompose(
                        done ->
                                keysAreNew
                                        ? newKeyCheck.check(files, () -> checkWanted(transaction))
                                        : CompletableFuture.completedFuture(CheckedKeys.NONE))
                .whenComplete(
                        (keys, failed) -> {
                            if (failed == null) {
                                result.complete(keys);
                            } else {
                                result.completeExceptionally(failed);
                            }
                        });
        return result;
    }

    private void checkWanted(Transaction transaction) {
        if (transaction.commitGivenUp().isDone()) {
            throw givenUp(transaction.id());
        }
        if (isClosing) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down");
        }
    }

    /** Ends what loads and commits of files do without the log, so that nothing waits for it. */
    public void close() {
        isClosing = true;
    }

    private static SteleException givenUp(String id) {
        return new SteleException(
                ErrorCode.TRANSACTION_ABORTED,
                "Transaction " + id + " was given up by its client, and nothing is changed");
    }

    /** Workers know no SST files, and the rows that these replaced would not be looked for. */
    private void checkColumns(WrittenFile file) {
        Orientation orientation = catalog.current().table(file.tableId()).orientation();
        if (orientation.hasRows()) {
            throw refused(file, "a table of orientation 'column'", "'" + orientation.text() + "'");
        }
    }

    /** An index that was added meanwhile would get the entries of all rows into memory at once. */
    private void checkNoIndex(WrittenFile file) {
        TableSchema table = catalog.current().table(file.tableId());
        if (!table.options().indexes().isEmpty()) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected no index of table %s until its rows are loaded, found '%s': load them again"
                            .formatted(
                                    table.qualifiedName(),
                                    table.options().indexes().getFirst().name()));
        }
    }

    /**
     * Throws BUSY when it is unknown whether a table that the transaction changes still exists: the
     * transaction stays open, and the commit may be repeated.
     */
    private void checkSettled(
            Transaction transaction,
            List<WrittenFile> written,
            Optional<TableId> publish,
            Optional<TableId> replace) {
        if (!catalog.isUnsettled() || transaction.hasEnded()) {
            return;
        }
        if (publish.isPresent()) {
            catalog.checkSettled();
        }
        Set<TableId> tables = new HashSet<>(transaction.tables());
        written.forEach(file -> tables.add(file.tableId()));
        replace.ifPresent(tables::add);
        for (TableId tableId : tables) {
            catalog.findUnsettled(tableId)
                    .ifPresent(
                            busy -> {
                                throw busy;
                            });
        }
    }

    /** The prefixes of the paths of workers' files, whose names begin with the transaction's id. */
    private List<String> filePrefixes(TableId tableId, String id) {
        return catalog.current().table(tableId).shards().stream()
                .map(shard -> FileIds.folder(tableId, shard) + id + "_")
                .toList();
    }

    /** Ends a transaction that is certainly not committed. */
    private CompletableFuture<@Nullable Void> end(Transaction transaction, Throwable failure) {
        SteleException cause = Coordinator.undone(transaction.id(), failure);
        try {
            ended(transaction);
            collector.sweep(transaction.filePrefixes(), Set.of());
            return stagedTables
                    .drop(transaction.stagedTable())
                    .whenComplete(
                            (tried, never) -> transaction.outcome().completeExceptionally(cause));
        } catch (RuntimeException | Error broken) {
            // Its remains are found at the next start
            threads.uncaught().accept(broken);
            transaction.outcome().completeExceptionally(cause);
            return CompletableFuture.completedFuture(null);
        }
    }

    /**
     * Begins a transaction that only deletes partitions, for a client that does not repeat its
     * commit.
     */
    public String beginDelete(TableId tableId) {
        return begin(tableId, Optional.empty(), Optional.empty(), options.transactionIdle(), false);
    }

    /** The outcome of a transaction that is not open any more; empty if it is. */
    public Optional<CompletableFuture<Lsn>> findEnded(String id) {
        Transaction transaction = open.get(id);
        if (transaction == null) {
            return Optional.of(findCommitted(id));
        }
        return transaction.hasEnded()
                ? Optional.of(transaction.outcome().copy())
                : Optional.empty();
    }

    /**
     * Deletes the rows of partitions of a table in all shards at one LSN, with which it completes.
     *
     * @param id the id of the deleting transaction, which has no rows
     * @param partitions domains of partition columns, checked
     */
    public CompletableFuture<Lsn> deletePartitions(
            String id, TableSchema table, ScanPredicate partitions) {
        Transaction transaction = open.get(id);
        if (transaction == null) {
            return findCommitted(id);
        }
        if (!transaction.tables().isEmpty()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a transaction without rows to delete partitions of %s, found rows of %s in '%s'"
                            .formatted(table.qualifiedName(), transaction.tables(), id));
        }
        if (!transaction.end()) { // by the same request, at this moment
            return transaction.outcome().copy();
        }
        Map<ShardId, List<PartitionDelete>> deletes = new TreeMap<>();
        deleteAll(table, partitions, deletes);
        run(
                transaction,
                new Coordinator.Commit(
                        transaction.id(),
                        transaction.isRepeatable(),
                        Optional.empty(),
                        Map.of(),
                        Map.of(),
                        deletes,
                        Optional.empty(),
                        CheckedKeys.NONE));
        return transaction.outcome().copy();
    }

    private static void deleteAll(
            TableSchema table,
            ScanPredicate partitions,
            Map<ShardId, List<PartitionDelete>> deletes) {
        PartitionDelete delete = new PartitionDelete(table.id(), partitions);
        table.shards().forEach(shard -> deletes.put(shard, List.of(delete)));
    }

    /**
     * A table that can be replaced, which has no primary key: if a key were deleted and inserted at
     * one LSN, its two rows could not be distinguished.
     */
    private TableSchema replaceable(TableId tableId) {
        TableSchema table = catalog.current().table(tableId);
        if (table.hasPrimaryKey()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table without primary_key to replace the rows of, found "
                            + table.qualifiedName());
        }
        return table;
    }

    private void run(Transaction transaction, Coordinator.Commit commit) {
        coordinator
                .commit(commit)
                .whenComplete(
                        (done, failed) -> {
                            if (failed != null
                                    && Coordinator.unwrap(failed) instanceof SteleException cause
                                    && cause.code().nothingIsChanged()) {
                                end(transaction, cause);
                                return;
                            }
                            try {
                                ended(transaction);
                            } finally {
                                if (failed == null) {
                                    if (done.isDecided()) {
                                        decisionCollector.settled(transaction.id());
                                    }
                                    transaction.outcome().complete(done.lsn());
                                } else {
                                    transaction
                                            .outcome()
                                            .completeExceptionally(Coordinator.unwrap(failed));
                                }
                            }
                        });
    }

    /**
     * Aborts a transaction; completes after the drop of its staged table was tried. Does nothing if
     * it has ended.
     */
    public CompletableFuture<@Nullable Void> abort(String id) {
        Transaction transaction = open.get(id);
        if (transaction == null || !transaction.end()) {
            return CompletableFuture.completedFuture(null);
        }
        return end(transaction, notFound(id));
    }

    private void ended(Transaction transaction) {
        if (open.remove(transaction.id()) != null) {
            transaction.readLsn().ifPresent(snapshots::release);
        }
        transaction.clear();
    }

    /**
     * Extends the life of a transaction to this time from now; false if it is not open any more.
     */
    public boolean renew(String id, Duration ttl) {
        Transaction transaction = open.get(id);
        if (transaction == null) {
            return false;
        }
        transaction.renew(clock.nowMillis() + ttl.toMillis());
        return true;
    }

    /**
     * Keeps a transaction from expiring until {@link #resumeExpiry}, while its client waits for the
     * engine; false if it is not open any more.
     */
    boolean suspendExpiry(String id) {
        Transaction transaction = open.get(id);
        return transaction != null && transaction.suspendExpiry();
    }

    /** Lets a transaction expire again, at this time from now. */
    void resumeExpiry(String id, Duration ttl) {
        Transaction transaction = open.get(id);
        if (transaction != null) {
            transaction.resumeExpiry(clock.nowMillis() + ttl.toMillis());
        }
    }

    /** Aborts the transactions that were not renewed in time. */
    public void expire() {
        long now = clock.nowMillis();
        for (Transaction transaction : List.copyOf(open.values())) {
            if (transaction.isExpired(now)) {
                abort(transaction.id())
                        .whenComplete(
                                (gone, failed) -> {
                                    if (failed != null) {
                                        threads.uncaught().accept(failed);
                                    }
                                });
            }
        }
    }

    /** The LSN of a transaction that has committed, for a repeated commit. */
    private CompletableFuture<Lsn> findCommitted(String id) {
        if (!TransactionIds.isValid(id)) {
            return CompletableFuture.failedFuture(notFound(id));
        }
        if (TransactionIds.epoch(id) > epoch) {
            return CompletableFuture.failedFuture(
                    new SteleException(
                            ErrorCode.UNAVAILABLE,
                            "Expected a transaction of epoch %s or before, found '%s': another sidecar has taken over"
                                    .formatted(Long.toHexString(epoch), id)));
        }
        Optional<Lsn> lsn = committed.find(id);
        return lsn.isPresent()
                ? CompletableFuture.completedFuture(lsn.get())
                : BackgroundTasks.submit(threads.background(), () -> committed(id))
                        .thenCompose(this::published);
    }

    private Decision committed(String id) {
        try {
            Optional<Decision> decision = decisions.find(id);
            if (decision.isPresent()) {
                return decision.filter(Decision::committed).orElseThrow(() -> notFound(id));
            }
            // Saved meanwhile, or long ago
            Lsn lsn =
                    committed
                            .findSaved(id)
                            .orElseThrow(() -> logDamage.get().orElseGet(() -> notFound(id)));
            return new Decision(id, true, lsn, Optional.empty(), epoch);
        } catch (IOException failed) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot read the decision of transaction " + id + ": " + failed,
                    failed);
        }
    }

    /**
     * Publishes the table of a committed transaction, if that failed before. The name may have been
     * taken after the decision; then there is no table.
     */
    private CompletableFuture<Lsn> published(Decision decision) {
        Optional<TableId> staged = decision.publish().flatMap(stagedTables::find);
        CompletableFuture<@Nullable Void> published = CompletableFuture.completedFuture(null);
        if (staged.isPresent()) {
            published =
                    BackgroundTasks.submit(
                            threads.catalog(),
                            () -> {
                                catalog.publishTable(staged.get(), decision.lsn());
                                return null;
                            });
        }
        return published.thenApply(
                done -> {
                    checkPublished(decision);
                    return decision.lsn();
                });
    }

    private void checkPublished(Decision decision) {
        Optional<TableId> table = decision.publish();
        if (table.isPresent() && catalog.current().findTable(table.get()).isEmpty()) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected the table of transaction %s, found none of id %s: its name was taken, or it is dropped or truncated"
                            .formatted(decision.transactionId(), table.get()));
        }
    }

    private Map<ShardId, List<FileEntry>> entries(List<WrittenFile> written, boolean keysAreNew) {
        Map<ShardId, List<FileEntry>> entries = new TreeMap<>();
        for (WrittenFile file : written) {
            TableSchema schema = catalog.current().table(file.tableId());
            check(file, schema);
            FileEntry entry = entry(file);
            entries.computeIfAbsent(file.shard(), shard -> new ArrayList<>())
                    .add(keysAreNew ? entry.asInsertion() : entry);
        }
        return entries;
    }

    private void check(WrittenFile file, TableSchema schema) {
        boolean hasRows = schema.orientation().hasRows();
        if (hasRows && schema.orientation().hasColumns()) {
            throw refused(
                    file,
                    "a table of orientation 'column' or 'row'",
                    "'" + schema.orientation().text() + "'");
        }
        if (file.isSorted() != hasRows) {
            throw refused(
                    file,
                    hasRows ? "an SST file" : "a column file",
                    hasRows ? "a column file" : "an SST file");
        }
        if (!schema.shards().contains(file.shard()) || !shards.contains(file.shard())) {
            throw refused(
                    file, "one of " + schema.shardCount() + " shards", file.shard().toString());
        }
        // The version that the shard has announced will be in effect before this record is applied
        TableGroupShard shard = shards.shard(file.shard());
        int schemaVersion =
                shard.announced(shard.table(schema.id()), file.schemaVersion()).schemaVersion();
        if (file.schemaVersion() != schemaVersion) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected schema version %d of table %s, found %d in %s"
                            .formatted(
                                    schemaVersion,
                                    schema.qualifiedName(),
                                    file.schemaVersion(),
                                    file.path()));
        }
        if ((hasRows || schema.partitionedBy().isEmpty()) == file.partition().isPresent()) {
            throw refused(
                    file,
                    schema.partitionedBy().isEmpty() ? "no partition" : "its partition",
                    file.partition().isPresent() ? "one" : "none");
        }
        boolean hasKeys = file.minKey().isPresent() && (hasRows || file.keyIndexPath().isPresent());
        if (schema.hasPrimaryKey() && !hasKeys) {
            throw refused(file, "a key index and a key range", "none");
        }
        if (file.metadataBytes().isPresent()) {
            checkMetadata(file);
        }
        for (ColumnSketch sketch : file.sketches().values()) {
            if (!SketchBuilder.isSketch(sketch)) {
                throw refused(file, "sketches of columns", "one that cannot be read");
            }
        }
        if (file.rowCount() < 1 || file.rowCount() > Integer.MAX_VALUE) {
            throw refused(file, "1 to 2^31 - 1 rows", Long.toString(file.rowCount()));
        }
        String folder = "data/" + file.tableId() + "/" + file.shard().index() + "/";
        if (!file.path().startsWith(folder)
                || !file.keyIndexPath().map(path -> path.startsWith(folder)).orElse(true)) {
            throw refused(file, "a path in " + folder, file.path());
        }
    }

    private static void checkMetadata(WrittenFile file) {
        String path = WrittenFile.keyIndexPath(file.path());
        if (!file.keyIndexPath().equals(Optional.of(path))) {
            throw refused(
                    file,
                    "a key index at " + path + ", which has metadata",
                    file.keyIndexPath().orElse("none"));
        }
        int bytes = file.metadataBytes().getAsInt();
        if (bytes <= 0 || bytes > file.keyIndexSizeBytes()) {
            throw refused(
                    file,
                    "1 to " + file.keyIndexSizeBytes() + " bytes of metadata in the key index",
                    Integer.toString(bytes));
        }
    }

    /** The entry of a file before its commit. */
    static FileEntry entry(WrittenFile file) {
        return new FileEntry(
                        file.fileId(),
                        file.tableId(),
                        file.isSorted() ? FileKind.ROW : FileKind.COLUMN,
                        0,
                        file.path(),
                        file.sizeBytes(),
                        file.rowCount(),
                        Lsn.MIN,
                        Lsn.MIN,
                        Optional.empty(),
                        OptionalLong.empty(),
                        file.schemaVersion(),
                        file.minKey(),
                        file.maxKey(),
                        file.partition(),
                        file.columns(),
                        file.keyIndexPath()
                                .map(
                                        path ->
                                                new KeyIndexFile(
                                                        path,
                                                        file.keyIndexSizeBytes(),
                                                        file.metadataBytes())),
                        Optional.empty())
                .withBitmapIndex(file.bitmapIndexBytes())
                .withChecksums(file.checksumBlockBytes())
                .withSketches(file.sketches());
    }

    private static List<String> paths(List<WrittenFile> written) {
        return written.stream().flatMap(file -> file.paths().stream()).toList();
    }

    private static SteleException refused(WrittenFile file, String expected, String found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected " + expected + ", found " + found + " for file " + file.path());
    }

    /**
     * The outcome of a transaction whose commit was requested: completes with its LSN, or
     * TRANSACTION_NOT_FOUND, when it is decided. Throws INVALID_ARGUMENT when it is still open.
     */
    public CompletableFuture<Lsn> findOutcome(String id) {
        Transaction transaction = open.get(id);
        if (transaction == null) {
            return findCommitted(id);
        }
        if (!transaction.hasEnded()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a transaction that is to be committed, found '%s', which is open: no commit has come so far"
                            .formatted(id));
        }
        return transaction.outcome().copy();
    }

    static SteleException notFound(String id) {
        return new SteleException(
                ErrorCode.TRANSACTION_NOT_FOUND,
                "Expected an open or committed transaction, found '" + id + "'");
    }
}
