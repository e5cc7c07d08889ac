package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.scheduler.ExecutionContext;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.shard.TransactionRecords.Outcome;
import io.stele.storage.shard.TransactionRecords.Prepare;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.wal.DurableRecord;
import io.stele.storage.wal.LogHold;
import io.stele.storage.wal.RecordType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a table group: all tables' rows that fall in it, one order of changes, one execution
 * context.
 *
 * <p>A write is validated on the caller's thread, appended to the log, and applied here once
 * durable, in log order; then it is acknowledged. Persisting the next group and applying the last
 * one overlap.
 *
 * <p>Invariant: records are applied in LSN order, each once. Invariant: {@code appliedLsn <=
 * durable LSN of the shard}. If an application fails, what is in memory can no longer be trusted:
 * the shard stops serving until the process restarts and replays.
 *
 * <p>State is confined to the execution context unless a field says otherwise; replay happens
 * before the context runs anything.
 */
public final class TableGroupShard {
    /** The attachment of an outcome record whose effect is applied already. */
    public static final Object RESOLVED = new Object();

    private final ShardId id;
    private final ExecutionContext context;
    private final TableFiles files;
    private final LongSupplier nowMillis;
    private final WriteGate gate;
    private final Map<TableId, TableShard> tables =
            new ConcurrentHashMap<>(); // changed by DDL, read by all
    private final Map<String, PreparedPart> prepared = new LinkedHashMap<>();
    private final WriterWindows writers = new WriterWindows(); // guarded by itself
    private final AppliedLsn applied = new AppliedLsn(); // guarded by itself
    private final Object rowIdOrder =
            new Object(); // held from taking row ids to appending their record
    private volatile @Nullable ShardLog log; // set once, when the shard starts serving
    private volatile @Nullable SteleException failure;
    private Runnable afterApply = () -> {};

    /**
     * @param releaser runs writes that waited for memory; may block
     */
    public TableGroupShard(
            ShardId id,
            ExecutionContext context,
            TableFiles files,
            LongSupplier nowMillis,
            Executor releaser) {
        this.id = requireNonNull(id, "id is null");
        this.context = requireNonNull(context, "context is null");
        this.files = requireNonNull(files, "files is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.gate = new WriteGate(id.toString(), releaser, nowMillis);
    }

    public ShardId id() {
        return id;
    }

    public ExecutionContext context() {
        return context;
    }

    /**
     * Starts serving, after replay. {@code afterApply} is called on the context whenever records
     * were applied.
     */
    public void start(ShardLog newLog, Runnable newAfterApply) {
        afterApply = requireNonNull(newAfterApply, "newAfterApply is null");
        log = requireNonNull(newLog, "newLog is null");
    }

    /** Adds a table, or its new name; any thread. */
    public void putTable(TableSchema schema) {
        TableShard known =
                tables.putIfAbsent(schema.id(), new TableShard(id, schema, files.rowCache()));
        if (known != null) {
            known.rename(schema);
        }
    }

    /** Forgets a dropped table; any thread. Its files are the maintenance's business. */
    public void removeTable(TableId tableId) {
        TableShard removed = tables.remove(tableId);
        if (removed != null) {
            removed.drop();
        }
    }

    public Collection<TableShard> tables() {
        return tables.values();
    }

    public Optional<TableShard> findTable(TableId tableId) {
        return Optional.ofNullable(tables.get(tableId));
    }

    /** STALE_TABLE when the table is not, or no more, in this shard. */
    public TableShard table(TableId tableId) {
        TableShard table = tables.get(tableId);
        if (table == null) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected a table of shard "
                            + id
                            + ", found table id "
                            + tableId
                            + ", which is dropped");
        }
        return table;
    }

    // ---- writes
    // -------------------------------------------------------------------------------------------------------------

    /**
     * Writes a batch; the future completes when it is durable and applied. The array must not
     * change any more.
     *
     * <p>A batch with the writer and sequence of an earlier one is answered with that one's
     * outcome.
     */
    public CompletableFuture<Lsn> write(
            UUID writerId, long sequence, byte[] bytes, int offset, int length) {
        CompletableFuture<Lsn> acknowledgement = new CompletableFuture<>();
        try {
            checkServing();
            WriteBatchReader batch = new WriteBatchReader(bytes, offset, length);
            TableShard table = table(batch.tableId());
            int appended = new BatchValidator(table.schema(), table.layout(), id).validate(batch);
            Runnable submit =
                    () ->
                            submit(
                                    writerId,
                                    sequence,
                                    table,
                                    batch,
                                    appended,
                                    offset,
                                    acknowledgement);
            if (gate.pass(length, submit)) {
                submit.run();
            }
        } catch (SteleException refused) {
            acknowledgement.completeExceptionally(refused);
        }
        return acknowledgement;
    }

    private void submit(
            UUID writerId,
            long sequence,
            TableShard table,
            WriteBatchReader batch,
            int appended,
            int offset,
            CompletableFuture<Lsn> acknowledgement) {
        Optional<CompletableFuture<Lsn>> earlier =
                writers.admit(writerId, sequence, acknowledgement);
        if (earlier.isPresent()) {
            Futures.forward(earlier.get(), acknowledgement);
            return;
        }
        try {
            if (appended == 0) {
                append(writerId, sequence, WriteRecord.NO_ROW_ID, batch, offset, acknowledgement);
            } else {
                synchronized (rowIdOrder) {
                    append(
                            writerId,
                            sequence,
                            table.takeRowIds(appended),
                            batch,
                            offset,
                            acknowledgement);
                }
            }
        } catch (RuntimeException refused) {
            writers.refused(writerId, sequence);
            acknowledgement.completeExceptionally(refused);
        }
    }

    private void append(
            UUID writerId,
            long sequence,
            long firstRowId,
            WriteBatchReader batch,
            int offset,
            CompletableFuture<Lsn> acknowledgement) {
        PendingWrite pending =
                new PendingWrite(writerId, sequence, firstRowId, batch, acknowledgement);
        List<ByteBuffer> payload =
                WriteRecord.encode(
                        writerId, sequence, firstRowId, batch.buffer(), offset, batch.sizeBytes());
        log().append(id, RecordType.WRITE, payload, pending)
                .whenComplete(
                        (position, failed) -> {
                            if (failed != null) {
                                writers.refused(writerId, sequence);
                                acknowledgement.completeExceptionally(failed);
                            }
                        });
    }

    /** Logs a transaction's part; completes when it is durable and applied. */
    public CompletableFuture<@Nullable Void> prepare(
            String transactionId,
            Optional<Lsn> readLsn,
            List<FileEntry> newFiles,
            List<byte[]> batches) {
        try {
            checkServing();
        } catch (SteleException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        Prepare prepare =
                new Prepare(
                        transactionId,
                        readLsn,
                        newFiles,
                        batches.stream().map(ByteBuffer::wrap).toList());
        return log().append(id, RecordType.PREPARE, TransactionRecords.encode(prepare), prepare)
                .thenCompose(position -> applied.await(position.lsn()));
    }

    /** Checks a batch that a transaction stages; returns how many rows it appends. */
    public int validate(WriteBatchReader batch) {
        checkServing();
        TableShard table = table(batch.tableId());
        return new BatchValidator(table.schema(), table.layout(), id).validate(batch);
    }

    /** Logs how a held transaction ended here; completes when it is durable and applied. */
    public CompletableFuture<@Nullable Void> decide(
            LogHold hold, String transactionId, boolean committed) {
        return context.submit(() -> outcome(transactionId, committed))
                .thenCompose(
                        outcome ->
                                hold.append(
                                        id,
                                        RecordType.OUTCOME,
                                        TransactionRecords.encode(outcome),
                                        outcome))
                .thenCompose(position -> applied.await(position.lsn()));
    }

    /** Logs that a transaction was given up before anything was decided. */
    public CompletableFuture<@Nullable Void> abort(String transactionId) {
        Outcome outcome = new Outcome(transactionId, false, Map.of());
        return log().append(id, RecordType.OUTCOME, TransactionRecords.encode(outcome), outcome)
                .thenCompose(position -> applied.await(position.lsn()));
    }

    /**
     * What a prepared transaction would change although someone else changed it since the
     * transaction's read point.
     */
    public CompletableFuture<Optional<String>> findConflict(String transactionId) {
        return context.submit(
                () -> {
                    PreparedPart part =
                            requireNonNull(
                                    prepared.get(transactionId), "transaction is not prepared");
                    return new ConflictCheck(files).find(part, this);
                });
    }

    /** Completes when every record at or below {@code lsn} is applied. */
    public CompletableFuture<@Nullable Void> awaitApplied(Lsn lsn) {
        return applied.await(lsn);
    }

    public Lsn appliedLsn() {
        return applied.applied();
    }

    WriteGate gate() {
        return gate;
    }

    /** Lets writes through that were slowed down and may go by now; any thread. */
    public void pokeGate() {
        gate.poke();
    }

    /** How writes were held back; any thread. */
    public GateStatus gateStatus() {
        return gate.status();
    }

    /** Bytes of batches that wait because memory is full. */
    public long waitingBytes() {
        return gate.waitingBytes();
    }

    /** Fails when the shard stopped serving. */
    public void checkServing() {
        SteleException cause = failure;
        if (cause != null) {
            throw new SteleException(cause.code(), String.valueOf(cause.getMessage()), cause);
        }
        if (log == null) {
            throw new SteleException(ErrorCode.UNAVAILABLE, "Shard " + id + " is being recovered");
        }
    }

    /**
     * Stops serving for good: what is in memory, or the ownership of the shard, can no longer be
     * trusted.
     */
    public void fail(SteleException cause) {
        if (failure == null) {
            failure = cause;
            applied.fail(cause);
        }
    }

    public Optional<SteleException> failure() {
        return Optional.ofNullable(failure);
    }

    // ---- application
    // --------------------------------------------------------------------------------------------------------

    /** Hands durable records to the context; called by the log in LSN order. */
    public void onDurable(List<DurableRecord> records) {
        context.execute(() -> applyAll(records));
    }

    private void applyAll(List<DurableRecord> records) {
        int done = 0;
        if (failure == null) {
            try {
                for (DurableRecord record : records) {
                    apply(record);
                    done++;
                }
            } catch (IOException | RuntimeException broken) {
                fail(
                        new SteleException(
                                broken instanceof SteleException known
                                        ? known.code()
                                        : ErrorCode.INTERNAL,
                                "Shard %s stopped at LSN %s: %s"
                                        .formatted(id, records.get(done).lsn(), broken),
                                broken));
            }
        }
        if (done > 0) {
            applied.advance(records.get(done - 1).lsn());
        }
        acknowledge(records, done);
        afterApply.run();
    }

    private void acknowledge(List<DurableRecord> records, int done) {
        for (int i = 0; i < records.size(); i++) {
            if (records.get(i).attachment() instanceof PendingWrite write) {
                if (i < done) {
                    write.acknowledgement().complete(records.get(i).lsn());
                } else {
                    write.acknowledgement().completeExceptionally(requireNonNull(failure));
                }
            }
        }
    }

    private void apply(DurableRecord record) throws IOException {
        switch (record.type()) {
            case WRITE -> {
                PendingWrite write = (PendingWrite) requireNonNull(record.attachment());
                applyBatch(write.batch(), record.lsn(), write.firstRowId(), record.lsn());
                writers.applied(write.writerId(), write.sequence(), record.lsn());
            }
            case PREPARE ->
                    applyPrepare((Prepare) requireNonNull(record.attachment()), record.lsn());
            case OUTCOME -> {
                if (record.attachment() instanceof Outcome outcome) {
                    applyOutcome(outcome, record.lsn());
                } // else it was resolved at recovery, and is applied already
            }
            case VOID -> {
                // Only its LSN counts.
            }
        }
    }

    /** Applies a record while the shard is being recovered; one thread, in log order. */
    public void replay(Lsn lsn, RecordType type, ByteBuffer payload) throws IOException {
        switch (type) {
            case WRITE -> {
                WriteRecord write = WriteRecord.decode(payload);
                applyBatch(write.batch(), lsn, write.firstRowId(), lsn);
                writers.applied(write.writerId(), write.sequence(), lsn);
            }
            case PREPARE -> applyPrepare(TransactionRecords.decodePrepare(payload), lsn);
            case OUTCOME -> applyOutcome(TransactionRecords.decodeOutcome(payload), lsn);
            case VOID -> {
                // Only its LSN counts.
            }
        }
        applied.advance(lsn);
    }

    private void applyPrepare(Prepare prepare, Lsn lsn) {
        prepared.put(prepare.transactionId(), PreparedPart.of(prepare, lsn));
    }

    private void applyOutcome(Outcome outcome, Lsn lsn) throws IOException {
        PreparedPart part = prepared.remove(outcome.transactionId());
        if (part == null) {
            if (log != null) {
                throw new IllegalStateException(
                        "Expected transaction " + outcome.transactionId() + " to be prepared");
            }
            return; // Its PREPARE is trimmed: all of it is in files.
        }
        if (outcome.committed()) {
            applyPart(part, outcome.firstRowIds(), lsn);
        }
    }

    private void applyPart(PreparedPart part, Map<TableId, Long> firstRowIds, Lsn lsn)
            throws IOException {
        Map<TableId, Long> nextRowIds = new HashMap<>(firstRowIds);
        for (FileEntry entry : part.files()) {
            Optional<TableShard> table = findUnflushed(entry.tableId(), lsn);
            long firstRowId = nextRowIds.getOrDefault(entry.tableId(), WriteRecord.NO_ROW_ID);
            nextRowIds.computeIfPresent(
                    entry.tableId(), (tableId, next) -> next + entry.rowCount());
            if (table.isPresent()) {
                OptionalLong rowIds =
                        table.get().schema().hasPrimaryKey()
                                ? OptionalLong.empty()
                                : OptionalLong.of(firstRowId);
                ColumnFile file = files.openColumn(entry.withIngest(lsn, rowIds));
                table.get().ingest(files, file, part.prepareLsn().value(), nowMillis.getAsLong());
                if (log != null) {
                    table.get().traffic().adopted(entry);
                }
            }
        }
        for (WriteBatchReader batch : part.batches()) {
            long firstRowId = nextRowIds.getOrDefault(batch.tableId(), WriteRecord.NO_ROW_ID);
            nextRowIds.computeIfPresent(
                    batch.tableId(), (tableId, next) -> next + AppendedRows.count(batch));
            applyBatch(batch, lsn, firstRowId, part.prepareLsn());
        }
    }

    private void applyBatch(WriteBatchReader batch, Lsn lsn, long firstRowId, Lsn logLsn)
            throws IOException {
        Optional<TableShard> table = findUnflushed(batch.tableId(), lsn);
        if (table.isPresent()) {
            table.get()
                    .apply(batch, lsn.value(), firstRowId, logLsn.value(), nowMillis.getAsLong());
            if (log != null) {
                table.get().traffic().ingested(batch.sizeBytes());
            }
        }
    }

    /**
     * The table, unless it is dropped (nobody can read it again) or has the LSN in its files
     * already (replay).
     */
    private Optional<TableShard> findUnflushed(TableId tableId, Lsn lsn) {
        return findTable(tableId).filter(table -> table.flushedLsn() < lsn.value());
    }

    /** Takes the row ids that a prepared transaction needs. */
    private Outcome outcome(String transactionId, boolean committed) {
        if (!committed) {
            return new Outcome(transactionId, false, Map.of());
        }
        PreparedPart part =
                requireNonNull(prepared.get(transactionId), "transaction is not prepared");
        Map<TableId, Long> needed = new HashMap<>();
        for (FileEntry entry : part.files()) {
            needed.merge(entry.tableId(), entry.rowCount(), Long::sum);
        }
        for (WriteBatchReader batch : part.batches()) {
            needed.merge(batch.tableId(), (long) AppendedRows.count(batch), Long::sum);
        }
        Map<TableId, Long> firstRowIds = new HashMap<>();
        needed.forEach(
                (tableId, count) ->
                        findTable(tableId)
                                .filter(table -> !table.schema().hasPrimaryKey() && count > 0)
                                .ifPresent(
                                        table ->
                                                firstRowIds.put(tableId, table.takeRowIds(count))));
        return new Outcome(transactionId, true, firstRowIds);
    }

    // ---- recovery and maintenance
    // -------------------------------------------------------------------------------------------

    /** Transactions whose outcome the log does not tell; before {@link #start} only. */
    public Collection<PreparedPart> inDoubt() {
        return List.copyOf(prepared.values());
    }

    /**
     * Applies an outcome that was found out at recovery, and returns the record that tells it;
     * before {@link #start} only.
     */
    public List<ByteBuffer> resolve(String transactionId, boolean committed, Lsn lsn)
            throws IOException {
        Outcome outcome = outcome(transactionId, committed);
        applyOutcome(outcome, lsn);
        applied.advance(lsn);
        return TransactionRecords.encode(outcome);
    }

    /**
     * A table has every change at or below in files; before {@link #start} only. So a shard whose
     * log is all trimmed knows how far it is.
     */
    public void restoreApplied(Lsn flushedLsn) {
        applied.advance(flushedLsn);
    }

    /** What a manifest knows of a writer; before {@link #start} only. */
    public void restoreWriter(UUID writerId, long sequence, Lsn lsn) {
        writers.restore(writerId, new WriterWindows.AppliedSequence(sequence, lsn));
    }

    WriterWindows writers() {
        return writers;
    }

    /**
     * The lowest log LSN this shard still needs; {@code Long.MAX_VALUE} if none. A shard that
     * failed needs all: what it was about to apply is neither in memory nor in files. On the
     * context.
     */
    public long minLogLsn() {
        if (failure != null) {
            return 1;
        }
        long lowest = Long.MAX_VALUE;
        for (TableShard table : tables.values()) {
            lowest = Math.min(lowest, table.minLogLsn());
        }
        for (PreparedPart part : prepared.values()) {
            lowest = Math.min(lowest, part.prepareLsn().value());
        }
        return lowest;
    }

    private ShardLog log() {
        return requireNonNull(log, "log is null");
    }
}
