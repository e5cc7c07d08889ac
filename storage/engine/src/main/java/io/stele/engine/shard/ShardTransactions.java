package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.shard.BatchApplier.AheadWrite;
import io.stele.engine.shard.record.AppendedRows;
import io.stele.engine.shard.record.PartitionDelete;
import io.stele.engine.shard.record.PrepareRecords;
import io.stele.engine.shard.record.PrepareRecords.Piece;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.shard.record.TransactionRecords;
import io.stele.engine.shard.record.TransactionRecords.Commit;
import io.stele.engine.shard.record.TransactionRecords.Outcome;
import io.stele.engine.shard.record.TransactionRecords.Prepare;
import io.stele.engine.shard.record.WriteRecord;
import io.stele.engine.tablet.IngestedKeys;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.LogHold;
import io.stele.engine.wal.LogPosition;
import io.stele.engine.wal.RecordType;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A shard's participant in two-phase commits: it logs and applies PREPARE and OUTCOME records,
 * finds conflicts, and evaluates conditional batches. It also applies COMMIT records.
 *
 * <p>Invariant: an outcome is applied as a whole, however often a file that it needs cannot be
 * read; the steps done before the failure are not repeated.
 *
 * <p>Confined to the shard's context, except for {@link #prepare}, {@link #decide} and {@link
 * #abort}, which log a record and may be called by any thread.
 */
final class ShardTransactions {
    private final ShardState state;
    private final ShardTables tables;
    private final PreparedTransactions prepared;
    private final UniqueIndexChecks checks;
    private final DamagedTables damaged;
    private final BatchApplier batches;
    private final TableFiles files;

    /**
     * By id of evaluated transactions, the plain batches of their conditional batches, by index.
     */
    private final Map<String, Map<Integer, byte[]>> resolved = new HashMap<>();

    private Predicate<FileEntry> dropped = file -> false;
    private int doneSteps; // of an outcome whose application waits: deletions, files, batches

    ShardTransactions(
            ShardState state,
            PreparedTransactions prepared,
            UniqueIndexChecks checks,
            DamagedTables damaged,
            BatchApplier batches,
            TableFiles files) {
        this.state = requireNonNull(state, "state is null");
        this.tables = state.tables();
        this.prepared = requireNonNull(prepared, "prepared is null");
        this.checks = requireNonNull(checks, "checks is null");
        this.damaged = requireNonNull(damaged, "damaged is null");
        this.batches = requireNonNull(batches, "batches is null");
        this.files = requireNonNull(files, "files is null");
    }

    /** Sets the files that are given up, which applied transactions pass over. */
    void passOver(Predicate<FileEntry> newDropped) {
        dropped = requireNonNull(newDropped, "newDropped is null");
    }

    /** Logs a transaction's part; completes when it is durable and applied. */
    CompletableFuture<@Nullable Void> prepare(
            String transactionId,
            Optional<Lsn> readLsn,
            List<FileEntry> newFiles,
            List<byte[]> newBatches,
            List<PartitionDelete> deletes) {
        Prepare prepare =
                new Prepare(
                        transactionId,
                        readLsn,
                        newFiles,
                        newBatches.stream().map(ByteBuffer::wrap).toList(),
                        deletes);
        List<Piece> pieces;
        try {
            state.checkServing();
            newFiles.forEach(file -> tables.checkNotSetAside(file.tableId()));
            newBatches.forEach(
                    batch -> tables.checkNotSetAside(new WriteBatchReader(batch).tableId()));
            deletes.forEach(delete -> tables.checkNotSetAside(delete.tableId()));
            pieces = PrepareRecords.of(prepare, state.log().recordBytes());
            checkRoom(transactionId, newBatches);
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return append(transactionId, pieces)
                .thenCompose(position -> state.applied().await(position.lsn()));
    }

    /**
     * Throws BUSY when the log lacks room: an open transaction keeps the log from being trimmed.
     */
    private void checkRoom(String transactionId, Collection<byte[]> batches) {
        long bytes = batches.stream().mapToLong(batch -> batch.length).sum();
        if (bytes > 0 && !state.log().hasRoom(bytes)) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected room for %d bytes of transaction %s in the write-ahead log, found too little on its disk"
                            .formatted(bytes, transactionId));
        }
    }

    /**
     * Appends the records of a part; if one is refused behind others, the transaction is aborted.
     */
    private CompletableFuture<LogPosition> append(String transactionId, List<Piece> pieces) {
        CompletableFuture<LogPosition> appended = new CompletableFuture<>();
        for (int i = 0; i < pieces.size(); i++) {
            Piece piece = pieces.get(i);
            appended =
                    state.log()
                            .append(
                                    state.id(),
                                    RecordType.PREPARE,
                                    piece.payload(),
                                    piece.prepare());
            if (appended.isCompletedExceptionally()) {
                if (i > 0) {
                    abort(transactionId);
                }
                return appended;
            }
        }
        return appended;
    }

    /**
     * Logs the outcome of a transaction that holds the log. Completes when the record is in the
     * log's queue, with a future that completes when it is durable and applied.
     */
    CompletableFuture<CompletableFuture<@Nullable Void>> decide(
            LogHold hold, String transactionId, boolean committed) {
        return state.context()
                .submit(
                        () -> {
                            Outcome outcome = outcome(transactionId, committed);
                            return hold.append(
                                            state.id(),
                                            RecordType.OUTCOME,
                                            TransactionRecords.encode(outcome),
                                            outcome)
                                    .thenCompose(position -> state.applied().await(position.lsn()));
                        });
    }

    /**
     * Logs the abort of an undecided transaction. Never waits for room in the log: a prepared part
     * must not stay because other writers write much.
     */
    CompletableFuture<@Nullable Void> abort(String transactionId) {
        Outcome outcome = Outcome.aborted(transactionId);
        return state.log()
                .appendNow(
                        state.id(), RecordType.OUTCOME, TransactionRecords.encode(outcome), outcome)
                .thenCompose(position -> state.applied().await(position.lsn()));
    }

    /**
     * Reads from files what {@link #findConflict} and the evaluation of conditional operations will
     * need, before the log is held. Completes when the blocks are cached or cannot be read; never
     * exceptionally. Any thread.
     *
     * @param executor runs the reads; may block
     */
    CompletableFuture<@Nullable Void> prefetch(String transactionId, Executor executor) {
        return state.context()
                .submit(() -> prepared.find(transactionId))
                .thenCompose(
                        part ->
                                part.isEmpty()
                                        ? CompletableFuture.<@Nullable Void>completedFuture(null)
                                        : prefetch(part.get(), executor))
                .exceptionally(unread -> null);
    }

    /** As {@link #prefetch(String, Executor)}, for a part that is not logged. */
    CompletableFuture<@Nullable Void> prefetch(PreparedPart part, Executor executor) {
        CommitPrefetch prefetch = new CommitPrefetch(files);
        if (!prefetch.isUseful(part)) {
            return CompletableFuture.completedFuture(null);
        }
        return state.context()
                .submit(() -> reads(prefetch, part))
                .thenCompose(
                        reads ->
                                CompletableFuture.runAsync(
                                        () -> reads.forEach(ShardTransactions::readAhead),
                                        executor))
                .exceptionally(unread -> null); // the check reads it, and reports what is wrong
    }

    private List<ParallelReads.Read> reads(CommitPrefetch prefetch, PreparedPart part) {
        return part.tables().stream()
                .flatMap(id -> tables.find(id).stream())
                .<ParallelReads.Read>map(table -> () -> prefetch.run(part, table))
                .toList();
    }

    private static void readAhead(ParallelReads.Read read) {
        try {
            read.run();
        } catch (IOException | RuntimeException unread) {
            // The check reads it again, and reports what is wrong
        }
    }

    /**
     * The reason why a prepared transaction cannot commit, if there is one: a key that it changes
     * was changed since its snapshot, or one of its conditional operations or changes is refused
     * because of the present rows. This call also evaluates its conditional operations.
     *
     * @param commitLsn the LSN at which it would commit
     * @param maxResolvedBytes of the rows that its conditional operations produce
     * @param inserted the keys of its files, which must have no row; empty: they may have one,
     *     which they replace
     */
    CompletableFuture<Optional<SteleException>> findConflict(
            String transactionId,
            Lsn commitLsn,
            long maxResolvedBytes,
            Optional<InsertedKeys> inserted) {
        return state.context()
                .submit(
                        () -> {
                            PreparedPart part = prepared.get(transactionId);
                            Optional<SteleException> damaged = refusal(part);
                            if (damaged.isPresent()) {
                                return damaged;
                            }
                            Optional<String> conflict = new ConflictCheck(files).find(part, state);
                            if (conflict.isPresent()) {
                                return Optional.of(
                                        new SteleException(
                                                ErrorCode.TRANSACTION_CONFLICT,
                                                "Transaction "
                                                        + transactionId
                                                        + " conflicts: "
                                                        + conflict.get()));
                            }
                            if (inserted.isPresent()) {
                                Optional<SteleException> duplicate =
                                        inserted.get()
                                                .findPresent(
                                                        state::table,
                                                        state.applied().applied(),
                                                        table ->
                                                                table.options()
                                                                        .firstVisibleLsn(
                                                                                commitLsn.value()));
                                if (duplicate.isPresent()) {
                                    return duplicate;
                                }
                            }
                            try {
                                Map<Integer, byte[]> rows =
                                        resolution(true, commitLsn, maxResolvedBytes).run(part);
                                checkRoom(transactionId, rows.values());
                                resolved.put(transactionId, rows);
                                return Optional.empty();
                            } catch (SteleException refused) {
                                return Optional.of(refused);
                            }
                        });
    }

    private PartResolution resolution(boolean checked, Lsn commitLsn, long maxResolvedBytes) {
        return new PartResolution(
                tables, checks, damaged, files, checked, commitLsn, maxResolvedBytes);
    }

    /** The refusal of a table that was set aside since the part was prepared, if there is any. */
    private Optional<SteleException> refusal(PreparedPart part) {
        return part.tables().stream().map(tables::refusal).flatMap(Optional::stream).findFirst();
    }

    /** Applies a PREPARE record: stores the part, or adds to it. */
    void apply(Prepare prepare, Lsn lsn) {
        Optional<PreparedPart> part = with(prepared(prepare.transactionId()), prepare, lsn);
        if (part.isPresent()) {
            prepared.put(prepare.transactionId(), part.get());
        } else if (batches.isCounting()) {
            throw new IllegalStateException(
                    "Expected more of a prepared transaction, found none of "
                            + prepare.transactionId());
        } // else what came before it is trimmed, as all of it is in files
    }

    /** The prepared part of a transaction, if it is not decided. */
    Optional<PreparedPart> prepared(String transactionId) {
        return prepared.find(transactionId);
    }

    /** A part after a PREPARE record; empty if it continues a part that is missing. */
    static Optional<PreparedPart> with(Optional<PreparedPart> known, Prepare prepare, Lsn lsn) {
        return prepare.continues()
                ? known.map(part -> part.and(prepare))
                : Optional.of(PreparedPart.of(prepare, lsn));
    }

    /**
     * The batches that an outcome from before the start puts into tables; empty if it also changes
     * files, or if the result of batches depends on the rows present then.
     */
    Optional<List<WriteBatchReader>> plainBatches(
            Optional<PreparedPart> prepared, Outcome outcome, Lsn lsn) {
        if (prepared.isEmpty() || !outcome.committed()) {
            return Optional.of(List.of());
        }
        PreparedPart part = prepared.get();
        boolean isPlain =
                part.files().stream().noneMatch(file -> isUnflushed(file.tableId(), lsn))
                        && part.deletes().stream()
                                .noneMatch(delete -> isUnflushed(delete.tableId(), lsn))
                        && tablesWithout(part, outcome.resolved(), lsn).isEmpty();
        return isPlain
                ? Optional.of(part.withResolved(outcome.resolved()).batches())
                : Optional.empty();
    }

    private boolean isUnflushed(TableId tableId, Lsn lsn) {
        return tables.find(tableId).filter(table -> table.flushedLsn() < lsn.value()).isPresent();
    }

    /** Applies an OUTCOME record: the prepared part is applied, or dropped. */
    void apply(Outcome outcome, Lsn lsn) throws IOException {
        PreparedPart part = prepared.find(outcome.transactionId()).orElse(null);
        if (part == null) {
            if (batches.isCounting()) {
                throw new IllegalStateException(
                        "Expected transaction " + outcome.transactionId() + " to be prepared");
            }
            return; // Its PREPARE is trimmed: all of it is in files.
        }
        if (outcome.committed()) {
            applyPart(
                    part.withResolved(resolved(part, outcome, lsn)),
                    firstRowIds(part, outcome, lsn),
                    lsn);
        }
        // Only now: until then it may be tried again
        prepared.remove(outcome.transactionId());
        resolved.remove(outcome.transactionId());
    }

    /** Applies the part in a COMMIT record. */
    void apply(Commit commit, Lsn lsn) throws IOException {
        applyPart(commit.part(lsn), commit.firstRowIds(), lsn);
    }

    /**
     * The rows that conditional batches produce. An outcome that was logged while a table was set
     * aside lacks them for that table. When the table serves again, its rows are evaluated at the
     * same place in the log.
     */
    private Map<Integer, byte[]> resolved(PreparedPart part, Outcome outcome, Lsn lsn)
            throws IOException {
        Set<TableId> open =
                batches.isCounting() ? Set.of() : tablesWithout(part, outcome.resolved(), lsn);
        if (open.isEmpty()) {
            return outcome.resolved();
        }
        // Other tables may have flushed later rows, for which their conditions no longer hold
        Map<Integer, byte[]> all =
                new HashMap<>(resolution(false, lsn, Long.MAX_VALUE).run(part, open));
        all.putAll(outcome.resolved());
        return all;
    }

    /**
     * The first row id of each table without a primary key. An outcome that was logged while a
     * table was set aside has none for it. When the table serves again, its next row ids are used,
     * since nothing was written to it after.
     */
    private Map<TableId, Long> firstRowIds(PreparedPart part, Outcome outcome, Lsn lsn) {
        if (batches.isCounting()) {
            return outcome.firstRowIds();
        }
        Map<TableId, Long> all = new HashMap<>(outcome.firstRowIds());
        rowCounts(part)
                .forEach(
                        (tableId, count) -> {
                            if (count > 0 && !all.containsKey(tableId)) {
                                tables.find(tableId)
                                        .filter(table -> !table.schema().hasPrimaryKey())
                                        .filter(table -> table.flushedLsn() < lsn.value())
                                        .ifPresent(
                                                table -> all.put(tableId, table.takeRowIds(count)));
                            }
                        });
        return all;
    }

    /**
     * Takes the row ids that a part needs; on the shard's context, in the order of the log.
     *
     * @return the first row id of each table without a primary key that gets rows
     */
    static Map<TableId, Long> takeRowIds(ShardTables tables, PreparedPart part) {
        Map<TableId, TableShard> withoutKey = new HashMap<>();
        for (TableId tableId : part.tables()) {
            tables.find(tableId)
                    .filter(table -> !table.schema().hasPrimaryKey())
                    .ifPresent(table -> withoutKey.put(tableId, table));
        }
        if (withoutKey.isEmpty()) {
            return Map.of(); // no rows to count
        }
        Map<TableId, Long> firstRowIds = new HashMap<>();
        rowCounts(part)
                .forEach(
                        (tableId, count) -> {
                            TableShard table = withoutKey.get(tableId);
                            if (table != null && count > 0) {
                                firstRowIds.put(tableId, table.takeRowIds(count));
                            }
                        });
        return firstRowIds;
    }

    private static Map<TableId, Long> rowCounts(PreparedPart part) {
        Map<TableId, Long> counts = new HashMap<>();
        for (FileEntry entry : part.files()) {
            counts.merge(entry.tableId(), entry.rowCount(), Long::sum);
        }
        for (WriteBatchReader batch : part.batches()) {
            counts.merge(batch.tableId(), (long) AppendedRows.count(batch), Long::sum);
        }
        return counts;
    }

    /** The tables of conditional batches whose rows the outcome record lacks. */
    private Set<TableId> tablesWithout(PreparedPart part, Map<Integer, byte[]> known, Lsn lsn) {
        Set<TableId> without = new HashSet<>();
        for (int index = 0; index < part.batches().size(); index++) {
            WriteBatchReader batch = part.batches().get(index);
            if (isUnflushed(batch.tableId(), lsn)
                    && PartResolution.isConditional(batch)
                    && !known.containsKey(index)) {
                without.add(batch.tableId());
            }
        }
        return without;
    }

    private void applyPart(PreparedPart part, Map<TableId, Long> firstRowIds, Lsn lsn)
            throws IOException {
        part.tables().forEach(tableId -> tables.noteLost(tableId, part.prepareLsn(), lsn));
        // First, since partition deletes do not apply to rows that the transaction writes
        for (PartitionDelete delete :
                doneSteps == 0 ? part.deletes() : List.<PartitionDelete>of()) {
            tables.findUnflushed(delete.tableId(), lsn)
                    .ifPresent(table -> endPartitions(table, delete, part, lsn));
        }
        Map<TableId, Long> nextRowIds = new HashMap<>(firstRowIds);
        int step = 1;
        doneSteps = Math.max(doneSteps, step);
        Set<TableId> loaded = ingestRows(part, lsn);
        for (FileEntry entry : part.files()) {
            Optional<TableShard> table = tables.findUnflushed(entry.tableId(), lsn);
            long firstRowId = nextRowIds.getOrDefault(entry.tableId(), WriteRecord.NO_ROW_ID);
            nextRowIds.computeIfPresent(
                    entry.tableId(), (tableId, next) -> next + entry.rowCount());
            if (table.isPresent()
                    && step >= doneSteps
                    && entry.kind() == FileKind.COLUMN
                    && !dropped.test(entry)) {
                OptionalLong rowIds =
                        table.get().schema().hasPrimaryKey()
                                ? OptionalLong.empty()
                                : OptionalLong.of(firstRowId);
                ingest(
                        table.get(),
                        entry.withIngest(lsn, rowIds),
                        entry.isInsertion(),
                        part.prepareLsn());
            }
            step++;
            doneSteps = Math.max(doneSteps, step);
        }
        boolean isAhead = batches.isAhead(lsn); // looked up by the caller, with other records
        try {
            int ahead = 0;
            for (int i = 0; i < part.batches().size(); i++) {
                WriteBatchReader batch = part.batches().get(i);
                long firstRowId = nextRowIds.getOrDefault(batch.tableId(), WriteRecord.NO_ROW_ID);
                nextRowIds.computeIfPresent(
                        batch.tableId(), (tableId, next) -> next + AppendedRows.count(batch));
                if (step >= doneSteps) {
                    if (!isAhead && i >= ahead) {
                        ahead = i + lookAhead(part.batches(), i, lsn);
                    }
                    batches.apply(batch, lsn, firstRowId, part.prepareLsn());
                }
                step++;
                doneSteps = Math.max(doneSteps, step);
            }
        } finally {
            if (!isAhead) {
                batches.endAhead();
            }
        }
        for (TableId tableId : loaded) {
            tables.findUnflushed(tableId, lsn).ifPresent(table -> table.sealIngested(lsn.value()));
        }
        doneSteps = 0;
    }

    /**
     * Adds the SST files of a part to their tables, those of each table at once; may be repeated.
     * Returns the tables.
     */
    private Set<TableId> ingestRows(PreparedPart part, Lsn lsn) throws IOException {
        Map<TableId, List<FileEntry>> byTable = new LinkedHashMap<>();
        for (FileEntry entry : part.files()) {
            if (entry.kind() == FileKind.ROW && !dropped.test(entry)) {
                byTable.computeIfAbsent(entry.tableId(), _ -> new ArrayList<>()).add(entry);
            }
        }
        for (Map.Entry<TableId, List<FileEntry>> added : byTable.entrySet()) {
            Optional<TableShard> table = tables.findUnflushed(added.getKey(), lsn);
            if (table.isPresent()) {
                ingestRows(table.get(), added.getValue(), part, lsn);
            }
        }
        return byTable.keySet();
    }

    private void ingestRows(TableShard table, List<FileEntry> entries, PreparedPart part, Lsn lsn)
            throws IOException {
        try {
            List<SstFile> loaded = new ArrayList<>();
            for (FileEntry entry : entries) {
                loaded.add(
                        files.lazyRow(
                                entry.withIngest(lsn, OptionalLong.empty()), table.versions()));
            }
            table.ingestRows(files, loaded, part.prepareLsn().value(), state.nowMillis());
        } catch (IOException | RuntimeException broken) {
            if (StoreWait.isOutage(broken)) {
                throw broken;
            }
            damaged.setAside(
                    table, FailedFile.of(entries.getFirst(), broken), broken, part.prepareLsn());
            return;
        }
        if (batches.isCounting() && doneSteps == 1) {
            entries.forEach(table.traffic()::adopted);
        }
    }

    /**
     * Looks up together the rows in files that batches of one LSN make obsolete.
     *
     * @return the number of batches looked up, from {@code first} on
     */
    private int lookAhead(List<WriteBatchReader> all, int first, Lsn lsn) throws IOException {
        List<AheadWrite> writes = new ArrayList<>();
        int operations = 0;
        for (int i = first; i < all.size() && operations < BatchApplier.MAX_AHEAD; i++) {
            writes.add(new AheadWrite(all.get(i), lsn));
            operations += all.get(i).operationCount();
        }
        batches.endAhead();
        batches.lookAhead(writes, lsn);
        return writes.size();
    }

    private void endPartitions(
            TableShard table, PartitionDelete delete, PreparedPart part, Lsn lsn) {
        try {
            table.endPartitions(
                    delete.partitions(), lsn.value(), part.prepareLsn().value(), state.nowMillis());
        } catch (RuntimeException broken) {
            damaged.setAside(table, part.prepareLsn(), broken, part.prepareLsn());
        }
    }

    /**
     * Adds a file of a worker or a bulk load to a table, which is set aside if the file cannot be
     * used.
     */
    private void ingest(TableShard table, FileEntry entry, boolean isInsertion, Lsn prepareLsn)
            throws IOException {
        IngestedKeys keys = IngestedKeys.ANY;
        if (isInsertion) { // as was found out before the decision
            // Rows that have expired are still in files, and become obsolete now
            keys =
                    table.schema().options().expires()
                            ? IngestedKeys.NEW_OR_EXPIRED
                            : IngestedKeys.NEW;
        }
        try {
            ColumnFile file = files.openColumn(entry, table.versions());
            table.ingest(files, file, keys, prepareLsn.value(), state.nowMillis());
        } catch (IOException | RuntimeException broken) {
            if (StoreWait.isOutage(broken)) {
                throw broken;
            }
            damaged.setAside(table, FailedFile.of(entry, broken), broken, prepareLsn);
            return;
        }
        if (batches.isCounting()) {
            table.traffic().adopted(entry);
        }
    }

    private Outcome outcome(String transactionId, boolean committed) {
        if (!committed) {
            return Outcome.aborted(transactionId);
        }
        PreparedPart part = prepared.get(transactionId);
        return new Outcome(
                transactionId,
                true,
                takeRowIds(tables, part),
                requireNonNull(resolved.get(transactionId), "transaction is not resolved"));
    }

    /**
     * Applies an outcome that recovery found, and returns the record to log for it; at recovery
     * only.
     */
    List<ByteBuffer> resolve(String transactionId, boolean committed, Lsn lsn) throws IOException {
        if (committed) {
            // The rows are those before the crash, since nothing was logged in between. The part
            // passed the checks then. A start before this one may have resolved it and flushed its
            // rows while their record waited for the disk: with such files its conditions no longer
            // hold.
            PreparedPart part = prepared.get(transactionId);
            resolved.put(
                    transactionId,
                    resolution(false, lsn, Long.MAX_VALUE)
                            .run(part, tablesWithout(part, Map.of(), lsn)));
        }
        Outcome outcome = outcome(transactionId, committed);
        apply(outcome, lsn);
        return TransactionRecords.encode(outcome);
    }
}
