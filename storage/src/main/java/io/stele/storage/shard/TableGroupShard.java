package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.scheduler.ExecutionContext;
import io.stele.storage.manifest.FileEntry;
import io.stele.storage.shard.TransactionRecords.Outcome;
import io.stele.storage.shard.TransactionRecords.Prepare;
import io.stele.storage.shard.WriteResolver.Ticket;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.TableFiles;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.tablet.TableVersions;
import io.stele.storage.wal.DurableRecord;
import io.stele.storage.wal.LogHold;
import io.stele.storage.wal.LogPosition;
import io.stele.storage.wal.RecordType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
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
import java.util.function.LongPredicate;
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
 * the shard stops serving until the process restarts and replays. An application that only cannot
 * read a file, because the store does not answer, is tried again; what comes after it waits.
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
    private final WriteResolver resolver;

    /** Of prepared transactions that are worked out: what their conditional batches come to. */
    private final Map<String, Map<Integer, byte[]>> resolved = new HashMap<>();

    private final Object rowIdOrder =
            new Object(); // held from taking row ids to appending their record
    private volatile @Nullable ShardLog log; // set once, when the shard starts serving
    private volatile @Nullable SteleException failure;
    private volatile @Nullable StoreWait storeWait; // set by the context
    private final Deque<DurableRecord> unapplied = new ArrayDeque<>(); // while it waits
    private int doneSteps; // of a transaction whose application waits: its files, then its batches
    private Runnable afterApply = () -> {};

    /**
     * @param maxWriteWait a write that is held back for so long is refused
     * @param releaser runs writes that waited for memory; may block
     * @param lookups runs reads of files that writes depend on; may block, and takes every task
     */
    public TableGroupShard(
            ShardId id,
            ExecutionContext context,
            TableFiles files,
            LongSupplier nowMillis,
            Duration maxWriteWait,
            Executor releaser,
            Executor lookups) {
        this.id = requireNonNull(id, "id is null");
        this.context = requireNonNull(context, "context is null");
        this.files = requireNonNull(files, "files is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.gate = new WriteGate(id.toString(), releaser, nowMillis, maxWriteWait.toMillis());
        this.resolver = new WriteResolver(this, files, lookups);
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

    /**
     * Adds a table, or what the catalog changed of it; any thread, one at a time. Changed columns
     * are in effect when the context has run what it is given here, and before anything that it is
     * given later.
     */
    public void putTable(TableVersions newest) {
        TableShard added = new TableShard(id, newest, files.rowCache());
        TableShard known = tables.putIfAbsent(newest.schema().id(), added);
        if (known == null) {
            return;
        }
        boolean altered = newest.schemaVersion() != known.announced().schemaVersion();
        if (altered) {
            // Before it is announced: records of batches that have the new columns come after this.
            context.execute(() -> alter(known, newest));
        }
        known.announce(newest);
    }

    private void alter(TableShard table, TableVersions changed) {
        if (failure != null) {
            return; // memory is not what the log says; a restart begins with the new columns
        }
        TableVersions announced = table.announced(); // perhaps under a newer name
        boolean isNewest = announced.schemaVersion() >= changed.schemaVersion();
        table.alter(isNewest ? announced : changed, applied.applied().value());
        resolver.altered();
        afterApply.run();
    }

    /** Forgets a dropped table; any thread. Its files are the maintenance's business. */
    public void removeTable(TableId tableId) {
        TableShard removed = tables.remove(tableId);
        if (removed != null) {
            removed.drop();
            context.execute(() -> resolver.forget(tableId));
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
    public CompletableFuture<WriteOutcome> write(
            UUID writerId, long sequence, byte[] bytes, int offset, int length) {
        CompletableFuture<WriteOutcome> acknowledgement = new CompletableFuture<>();
        try {
            checkServing();
            WriteBatchReader batch = new WriteBatchReader(bytes, offset, length);
            QueuedWrite write = validated(writerId, sequence, batch, acknowledgement);
            Runnable submit = () -> submit(write);
            if (gate.pass(length, submit, acknowledgement::completeExceptionally)) {
                submit.run();
            }
        } catch (SteleException refused) {
            // What was applied before is so still, whatever became of the table since.
            writers.find(writerId, sequence)
                    .ifPresentOrElse(
                            earlier -> Futures.forward(earlier, acknowledgement),
                            () -> acknowledgement.completeExceptionally(refused));
        }
        return acknowledgement;
    }

    private QueuedWrite validated(
            UUID writerId,
            long sequence,
            WriteBatchReader batch,
            CompletableFuture<WriteOutcome> acknowledgement) {
        TableShard table = table(batch.tableId());
        BatchValidator.Summary summary = new BatchValidator(table.announced(), id).validate(batch);
        return new QueuedWrite(writerId, sequence, table, batch, summary, acknowledgement);
    }

    private void submit(QueuedWrite write) {
        Optional<CompletableFuture<WriteOutcome>> earlier =
                writers.admit(write.writerId(), write.sequence(), write.acknowledgement());
        if (earlier.isPresent()) {
            Futures.forward(earlier.get(), write.acknowledgement());
            return;
        }
        try {
            if (!resolver.take(write)) {
                append(write, new Resolution.Accepted(write.batch(), 0), Ticket.PASSED_BY);
            }
        } catch (RuntimeException refused) {
            refuse(write, refused);
        }
    }

    /** Nothing of it is logged; it may come again under the same sequence. Any thread. */
    void refuse(QueuedWrite write, RuntimeException cause) {
        writers.refused(write.writerId(), write.sequence());
        write.acknowledgement().completeExceptionally(cause);
    }

    /**
     * Why a batch that was valid once is not any more; null: it still is, or will be when changed
     * columns are in effect.
     */
    @Nullable SteleException staleness(TableShard table, WriteBatchReader batch) {
        if (tables.get(batch.tableId()) == table
                && table.schema().schemaVersion() <= batch.schemaVersion()) {
            return null;
        }
        return new SteleException(
                ErrorCode.STALE_TABLE,
                "Expected rows of the present version of table %s, found version %d; it was changed or dropped"
                        .formatted(table.schema().qualifiedName(), batch.schemaVersion()));
    }

    /** Appends what became of a write, waiting for room in the log. */
    void append(QueuedWrite write, Resolution resolution, Ticket ticket) {
        withRowIds(
                write,
                firstRowId -> {
                    Entry entry = entry(write, resolution, ticket, firstRowId);
                    watch(
                            write,
                            ticket,
                            log().append(id, entry.type(), entry.payload(), entry.attachment()));
                    return true;
                });
    }

    /** As {@link #append}, but false if that would wait; then nothing was done. */
    boolean tryAppend(QueuedWrite write, Resolution resolution, Ticket ticket) {
        return withRowIds(
                write,
                firstRowId -> {
                    Entry entry = entry(write, resolution, ticket, firstRowId);
                    Optional<CompletableFuture<LogPosition>> appended =
                            log().tryAppend(id, entry.type(), entry.payload(), entry.attachment());
                    appended.ifPresent(position -> watch(write, ticket, position));
                    return appended.isPresent();
                });
    }

    private boolean withRowIds(QueuedWrite write, LongPredicate append) {
        if (write.appended() == 0) {
            return append.test(WriteRecord.NO_ROW_ID);
        }
        synchronized (rowIdOrder) {
            return append.test(write.table().takeRowIds(write.appended()));
        }
    }

    private void watch(QueuedWrite write, Ticket ticket, CompletableFuture<LogPosition> appended) {
        appended.whenComplete(
                (position, failed) -> {
                    if (failed != null) {
                        writers.refused(write.writerId(), write.sequence());
                        write.acknowledgement().completeExceptionally(failed);
                        notLogged(ticket, failed);
                    }
                });
    }

    private void notLogged(Ticket ticket, Throwable failed) {
        if (ticket.equals(Ticket.PASSED_BY)) {
            resolver.dropped();
        } else {
            // Later batches were worked out on the assumption that this one is there.
            context.execute(
                    () ->
                            fail(
                                    new SteleException(
                                            ErrorCode.UNAVAILABLE,
                                            "Shard %s stopped: a batch it had worked out is not in the log: %s"
                                                    .formatted(id, failed),
                                            failed)));
        }
    }

    private static Entry entry(
            QueuedWrite write, Resolution resolution, Ticket ticket, long firstRowId) {
        return switch (resolution) {
            case Resolution.Accepted accepted -> {
                WriteBatchReader batch = accepted.batch();
                yield new Entry(
                        RecordType.WRITE,
                        WriteRecord.encode(
                                write.writerId(),
                                write.sequence(),
                                firstRowId,
                                accepted.skipped(),
                                batch.buffer(),
                                batch.offset(),
                                batch.sizeBytes()),
                        new PendingWrite(
                                write.writerId(),
                                write.sequence(),
                                firstRowId,
                                accepted.skipped(),
                                batch,
                                ticket,
                                write.acknowledgement()));
            }
            case Resolution.Refused refused -> {
                RefusalRecord record =
                        RefusalRecord.of(write.writerId(), write.sequence(), refused.cause());
                yield new Entry(
                        RecordType.REFUSED,
                        record.encode(),
                        new PendingRefusal(
                                record, refused.cause(), ticket, write.acknowledgement()));
            }
            case Resolution.Undecided _ ->
                    throw new IllegalStateException("Expected a decided batch to append");
        };
    }

    /** A record to append and what goes with it. */
    private record Entry(RecordType type, List<ByteBuffer> payload, Object attachment) {}

    List<UniqueIndexCheck> checks(TableShard table) {
        return resolver.checks(table);
    }

    /**
     * Completes when every write that was decided before the call is applied, those of transactions
     * as well: what is decided later sees what the shard has now. On the context, where it
     * completes.
     */
    public CompletableFuture<@Nullable Void> drain() {
        return resolver.drain();
    }

    /**
     * Works out no conditional writes until {@link #resumeConditional}: before the log is held, so
     * that none is worked out on what the holder changes. Completes when those worked out are in
     * the log's queue.
     */
    public CompletableFuture<@Nullable Void> pauseConditional() {
        return resolver.pause();
    }

    /** Asks files again that could not be read for conditional writes; on the context. */
    void retryConditional() {
        resolver.retry();
    }

    /** Ends a pause, when the holder's changes are applied. */
    public void resumeConditional() {
        resolver.resume();
    }

    /** Logs a transaction's part; completes when it is durable and applied. */
    public CompletableFuture<@Nullable Void> prepare(
            String transactionId,
            Optional<Lsn> readLsn,
            List<FileEntry> newFiles,
            List<byte[]> batches,
            List<PartitionDelete> deletes) {
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
                        batches.stream().map(ByteBuffer::wrap).toList(),
                        deletes);
        return log().append(id, RecordType.PREPARE, TransactionRecords.encode(prepare), prepare)
                .thenCompose(position -> applied.await(position.lsn()));
    }

    /** Checks a batch that a transaction stages; returns how many rows it appends. */
    public int validate(WriteBatchReader batch) {
        checkServing();
        TableShard table = table(batch.tableId());
        return new BatchValidator(table.announced(), id).validate(batch).appended();
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
        Outcome outcome = Outcome.aborted(transactionId);
        return log().append(id, RecordType.OUTCOME, TransactionRecords.encode(outcome), outcome)
                .thenCompose(position -> applied.await(position.lsn()));
    }

    /**
     * Why a prepared transaction cannot commit, if so: someone changed what it changes since its
     * read point, or one of its conditional operations or changes is refused for what is there. Its
     * conditional operations are worked out by this.
     *
     * @param commitLsn what it would commit at
     */
    public CompletableFuture<Optional<SteleException>> findConflict(
            String transactionId, Lsn commitLsn) {
        return context.submit(
                () -> {
                    PreparedPart part =
                            requireNonNull(
                                    prepared.get(transactionId), "transaction is not prepared");
                    Optional<String> conflict = new ConflictCheck(files).find(part, this);
                    if (conflict.isPresent()) {
                        return Optional.of(
                                new SteleException(
                                        ErrorCode.TRANSACTION_CONFLICT,
                                        "Transaction "
                                                + transactionId
                                                + " conflicts: "
                                                + conflict.get()));
                    }
                    try {
                        resolved.put(
                                transactionId,
                                new PartResolution(this, files, true, commitLsn).run(part));
                        return Optional.empty();
                    } catch (SteleException refused) {
                        return Optional.of(refused);
                    }
                });
    }

    /** Completes when every record at or below {@code lsn} is applied. */
    public CompletableFuture<@Nullable Void> awaitApplied(Lsn lsn) {
        return applied.await(lsn);
    }

    public Lsn appliedLsn() {
        return applied.applied();
    }

    /** The present: nothing applied is above it. */
    Lsn presentLsn() {
        Lsn now = Lsn.of(nowMillis.getAsLong(), 0);
        Lsn last = applied.applied();
        return now.compareTo(last) > 0 ? now : last;
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

    /** Bytes of batches that wait because memory is full, or for those before them. */
    public long waitingBytes() {
        return gate.waitingBytes() + resolver.queuedBytes();
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
            context.execute(
                    () -> {
                        dropUnapplied();
                        resolver.afterApply();
                    });
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
        if (storeWait != null) {
            unapplied.addAll(records);
        } else {
            applyNow(records, null);
        }
    }

    /** Applies what waits for the store, if it is time to ask it again; on the context. */
    void retryApply() {
        StoreWait waiting = storeWait;
        if (waiting != null && nowMillis.getAsLong() >= waiting.nextMillis()) {
            List<DurableRecord> records = List.copyOf(unapplied);
            unapplied.clear();
            applyNow(records, waiting);
        }
    }

    private void dropUnapplied() {
        List<DurableRecord> records = List.copyOf(unapplied);
        unapplied.clear();
        storeWait = null;
        acknowledge(records, 0);
    }

    /** What the application of records waits for, if it does; any thread. */
    public Optional<StoreWait> storeWait() {
        return Optional.ofNullable(storeWait);
    }

    /**
     * @param waited if the first record was tried before
     */
    private void applyNow(List<DurableRecord> records, @Nullable StoreWait waited) {
        int done = 0;
        StoreWait wait = null;
        if (failure == null) {
            try {
                for (DurableRecord record : records) {
                    apply(record);
                    done++;
                }
            } catch (IOException | RuntimeException broken) {
                if (StoreWait.isOutage(broken)) {
                    Lsn lsn = records.get(done).lsn();
                    wait = StoreWait.next(waited, id, lsn, broken, nowMillis.getAsLong());
                    unapplied.addAll(records.subList(done, records.size()));
                } else {
                    fail(stopped(records.get(done).lsn(), broken));
                }
            }
        }
        storeWait = wait;
        if (done > 0) {
            applied.advance(records.get(done - 1).lsn());
        }
        acknowledge(wait == null ? records : records.subList(0, done), done);
        resolver.afterApply();
        afterApply.run();
    }

    private SteleException stopped(Lsn lsn, Exception broken) {
        return new SteleException(
                broken instanceof SteleException known ? known.code() : ErrorCode.INTERNAL,
                "Shard %s stopped at LSN %s: %s".formatted(id, lsn, broken),
                broken);
    }

    private void acknowledge(List<DurableRecord> records, int done) {
        for (int i = 0; i < records.size(); i++) {
            Lsn lsn = records.get(i).lsn();
            SteleException broken = i < done ? null : requireNonNull(failure);
            switch (records.get(i).attachment()) {
                case PendingWrite write ->
                        acknowledge(
                                write.acknowledgement(),
                                write.ticket(),
                                broken,
                                new WriteOutcome(lsn, write.skipped()));
                case PendingRefusal refusal ->
                        acknowledge(
                                refusal.acknowledgement(),
                                refusal.ticket(),
                                broken != null ? broken : refusal.cause(),
                                new WriteOutcome(lsn, 0));
                case null, default -> {
                    // Nobody waits here: transactions wait for the LSN.
                }
            }
        }
    }

    private void acknowledge(
            CompletableFuture<WriteOutcome> acknowledgement,
            Ticket ticket,
            @Nullable SteleException failed,
            WriteOutcome outcome) {
        resolver.applied(ticket);
        if (failed != null) {
            acknowledgement.completeExceptionally(failed);
        } else {
            acknowledgement.complete(outcome);
        }
    }

    private void apply(DurableRecord record) throws IOException {
        switch (record.type()) {
            case WRITE -> {
                PendingWrite write = (PendingWrite) requireNonNull(record.attachment());
                applyBatch(write.batch(), record.lsn(), write.firstRowId(), record.lsn());
                writers.applied(
                        write.writerId(),
                        write.sequence(),
                        new WriteOutcome(record.lsn(), write.skipped()));
            }
            case REFUSED -> {
                PendingRefusal refusal = (PendingRefusal) requireNonNull(record.attachment());
                refused(refusal.record(), record.lsn(), refusal.cause());
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
                writers.applied(
                        write.writerId(), write.sequence(), new WriteOutcome(lsn, write.skipped()));
            }
            case REFUSED -> {
                RefusalRecord refusal = RefusalRecord.decode(payload);
                refused(refusal, lsn, refusal.toException());
            }
            case PREPARE -> applyPrepare(TransactionRecords.decodePrepare(payload), lsn);
            case OUTCOME -> applyOutcome(TransactionRecords.decodeOutcome(payload), lsn);
            case VOID -> {
                // Only its LSN counts.
            }
        }
        applied.advance(lsn);
    }

    private void refused(RefusalRecord refusal, Lsn lsn, SteleException cause) {
        writers.refusedAt(refusal.writerId(), refusal.sequence(), lsn, cause);
    }

    private void applyPrepare(Prepare prepare, Lsn lsn) {
        prepared.put(prepare.transactionId(), PreparedPart.of(prepare, lsn));
    }

    private void applyOutcome(Outcome outcome, Lsn lsn) throws IOException {
        PreparedPart part = prepared.get(outcome.transactionId());
        if (part == null) {
            if (log != null) {
                throw new IllegalStateException(
                        "Expected transaction " + outcome.transactionId() + " to be prepared");
            }
            return; // Its PREPARE is trimmed: all of it is in files.
        }
        if (outcome.committed()) {
            applyPart(part.withResolved(outcome.resolved()), outcome.firstRowIds(), lsn);
        }
        // Only now: until then it may be tried again
        prepared.remove(outcome.transactionId());
        resolved.remove(outcome.transactionId());
    }

    private void applyPart(PreparedPart part, Map<TableId, Long> firstRowIds, Lsn lsn)
            throws IOException {
        for (PartitionDelete delete : part.deletes()) {
            findUnflushed(delete.tableId(), lsn)
                    .ifPresent(
                            table ->
                                    table.endPartitions(
                                            delete.partitions(),
                                            lsn.value(),
                                            part.prepareLsn().value(),
                                            nowMillis.getAsLong()));
        }
        Map<TableId, Long> nextRowIds = new HashMap<>(firstRowIds);
        int step = 0;
        for (FileEntry entry : part.files()) {
            Optional<TableShard> table = findUnflushed(entry.tableId(), lsn);
            long firstRowId = nextRowIds.getOrDefault(entry.tableId(), WriteRecord.NO_ROW_ID);
            nextRowIds.computeIfPresent(
                    entry.tableId(), (tableId, next) -> next + entry.rowCount());
            if (table.isPresent() && step >= doneSteps) {
                OptionalLong rowIds =
                        table.get().schema().hasPrimaryKey()
                                ? OptionalLong.empty()
                                : OptionalLong.of(firstRowId);
                ColumnFile file =
                        files.openColumn(entry.withIngest(lsn, rowIds), table.get().versions());
                table.get().ingest(files, file, part.prepareLsn().value(), nowMillis.getAsLong());
                if (log != null) {
                    table.get().traffic().adopted(entry);
                }
            }
            step++;
            doneSteps = Math.max(doneSteps, step);
        }
        for (WriteBatchReader batch : part.batches()) {
            long firstRowId = nextRowIds.getOrDefault(batch.tableId(), WriteRecord.NO_ROW_ID);
            nextRowIds.computeIfPresent(
                    batch.tableId(), (tableId, next) -> next + AppendedRows.count(batch));
            if (step >= doneSteps) {
                applyBatch(batch, lsn, firstRowId, part.prepareLsn());
            }
            step++;
            doneSteps = Math.max(doneSteps, step);
        }
        doneSteps = 0;
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
            return Outcome.aborted(transactionId);
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
        return new Outcome(
                transactionId,
                true,
                firstRowIds,
                requireNonNull(resolved.get(transactionId), "transaction is not resolved"));
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
        if (committed) {
            // As before the crash: nothing between came to the log. It passed the checks then.
            PreparedPart part = requireNonNull(prepared.get(transactionId));
            resolved.put(transactionId, new PartResolution(this, files, false, lsn).run(part));
        }
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
    public void restoreWriter(UUID writerId, long sequence, Lsn lsn, Map<Long, ErrorCode> refused) {
        writers.restore(writerId, new WriterWindows.AppliedSequence(sequence, lsn, refused));
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
