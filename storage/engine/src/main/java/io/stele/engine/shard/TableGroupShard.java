package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.WriterProgress;
import io.stele.engine.row.TableVersions;
import io.stele.engine.shard.apply.AppliedLsn;
import io.stele.engine.shard.apply.ApplyLoad;
import io.stele.engine.shard.apply.ApplyOptions;
import io.stele.engine.shard.apply.ApplyStatus;
import io.stele.engine.shard.record.LoggedRecord;
import io.stele.engine.shard.record.PartitionDelete;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.shard.record.RetainedRecordFilter;
import io.stele.engine.shard.record.TransactionRecords;
import io.stele.engine.shard.write.GateStatus;
import io.stele.engine.shard.write.WriteGate;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.shard.write.WriterWindows;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.LogHold;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.scheduler.ExecutionContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a table group: all tables' rows that hash to it, one order of changes, one execution
 * context. It is the interface of the shard; its parts do the work.
 *
 * <p>A write is validated on the caller's thread, appended to the log ({@link WriteAppender}), and
 * applied once durable, in log order ({@link ApplyQueue}), by several apply workers if one does not
 * keep up with the log; then it is acknowledged. Persisting the next group and applying the last
 * one overlap.
 *
 * <p>Invariant: {@code appliedLsn <= durable LSN of the shard}. If an application fails, what is in
 * memory can no longer be trusted: the shard stops serving until the process restarts and replays.
 *
 * <p>State is confined to the {@linkplain ShardContext context} unless a method says otherwise;
 * replay happens before the context runs anything.
 */
public final class TableGroupShard {
    /** The attachment of an outcome record whose effect is applied already. */
    public static final Object RESOLVED = new Object();

    private final ShardId id;
    private final ShardState state;
    private final ShardContext context;
    private final WriteGate gate;
    private final ShardTables tables;
    private final WriterWindows writers; // guarded by itself
    private final AppliedLsn applied; // guarded by itself
    private final PreparedTransactions prepared;
    private final DamagedTables damaged;
    private final WriteResolver resolver;
    private final BatchApplier batches;
    private final ShardTransactions transactions;
    private final OnePhaseCommits onePhase;
    private final RecordReplay replay;
    private final ApplyQueue queue;
    private final TableAnnouncements announcements;
    private final ShardWrites writes;
    private final LogRetention retention;

    /**
     * @param context applies records while one worker is enough, and runs everything else that
     *     changes the shard
     * @param workerContexts creates the context of an apply worker
     * @param expiryMillis the time by which outcomes of writers expire, in epoch milliseconds; at
     *     most the present
     * @param maxWriteWait a write that is held back for this long is refused
     * @param releaser runs writes that waited for memory
     * @param lookups runs reads of files that writes depend on; may block, and accepts every task
     */
    public TableGroupShard(
            ShardId id,
            ExecutionContext context,
            IntFunction<ExecutionContext> workerContexts,
            ApplyOptions apply,
            TableFiles files,
            LongSupplier nowMillis,
            LongSupplier expiryMillis,
            Duration maxWriteWait,
            Executor releaser,
            Executor lookups) {
        this.id = requireNonNull(id, "id is null");
        this.writers = new WriterWindows(nowMillis, expiryMillis);
        this.tables = new ShardTables(id);
        ApplyWorkers workers = new ApplyWorkers(tables, workerContexts);
        ApplyLoad load = new ApplyLoad(nowMillis, apply.windowMillis());
        this.context = new ShardContext(context, workers::atRest, load::barrier);
        this.state = new ShardState(id, this.context, tables, nowMillis);
        this.applied = state.applied();
        this.gate =
                new WriteGate(
                        id.toString(),
                        releaser,
                        nowMillis,
                        maxWriteWait.toMillis(),
                        state::hasLogRoom);
        this.prepared = new PreparedTransactions();
        UniqueIndexChecks checks = new UniqueIndexChecks();
        this.damaged = new DamagedTables(state, prepared, checks);
        WriteRefusals refusals = new WriteRefusals(writers);
        WriteAppender appender = new WriteAppender(id, state::log);
        this.resolver =
                new WriteResolver(state, checks, damaged, appender, refusals, files, lookups);
        this.batches = new BatchApplier(state, damaged, files.parallelReads());
        this.transactions = new ShardTransactions(state, prepared, checks, damaged, batches, files);
        this.onePhase = new OnePhaseCommits(state, damaged, resolver, files);
        this.replay = new RecordReplay(batches, transactions, writers);
        this.queue =
                new ApplyQueue(
                        state,
                        damaged,
                        new RecordApplier(batches, transactions, writers),
                        new WriteAnswers(tables, resolver),
                        resolver,
                        apply,
                        workers,
                        load);
        state.onFailure(queue::dropUnapplied);
        this.announcements = new TableAnnouncements(state, checks, resolver, queue, files);
        this.writes =
                new ShardWrites(state, announcements, gate, writers, refusals, resolver, appender);
        this.retention = new LogRetention(state, prepared, writers);
    }

    public ShardId id() {
        return id;
    }

    public ShardContext context() {
        return context;
    }

    /**
     * Starts serving, after replay. {@code afterApply} is called on the context whenever records
     * were applied.
     */
    public void start(ShardLog newLog, Runnable newAfterApply) {
        queue.start(newAfterApply);
        batches.startCounting();
        state.start(newLog);
    }

    /**
     * Adds a table, or the catalog's changes to it; any thread, one at a time. Changed columns take
     * effect in a task that this call queues on the context, before any task queued later.
     */
    public void putTable(TableVersions newest) {
        announcements.put(newest);
    }

    /**
     * Allows reads of a table by the columns that it is about to get; {@link #putTable} follows.
     * Any thread, one at a time.
     */
    public void expectTable(TableVersions newest) {
        announcements.expect(newest);
    }

    /** As {@link TableAnnouncements#announced}; any thread. */
    public TableVersions announced(TableShard table, int known) {
        return announcements.announced(table, known);
    }

    /** Drops the state of a dropped table; any thread. The maintenance handles its files. */
    public void removeTable(TableId tableId) {
        announcements.remove(tableId);
    }

    /** Refuses later writes of a table; its rows can still be read. Any thread. */
    public void replaceTable(TableId tableId) {
        announcements.replace(tableId);
    }

    /** The tables that serve. */
    public Collection<TableShard> tables() {
        return tables.all();
    }

    /** A serving table; empty also if it is set aside. */
    public Optional<TableShard> findTable(TableId tableId) {
        return tables.find(tableId);
    }

    /**
     * A serving table. Throws STALE_TABLE when it is not, or no longer, in this shard, or the
     * reason why it is set aside or the shard stopped.
     */
    public TableShard table(TableId tableId) {
        return state.table(tableId);
    }

    // ---- what cannot be used
    // -------------------------------------------------------------------------------------------------------------

    /**
     * Sets a table aside: it is neither read nor written until the next start. Its memory is freed,
     * and its log records are retained ({@link #retainedRecords}). On the context, at rest, or
     * before {@link #start}.
     *
     * @param found the damage of the table
     * @param needed the LSN of the first record that it needs, if its memory does not determine it
     */
    public void setAside(TableShard table, List<Damage> found, Lsn needed) {
        damaged.setAside(table, found, needed);
    }

    /**
     * Sets a table aside for one object that could not be used when a record was to be applied.
     *
     * @param object the name of the object, unless the cause names a file of the table
     */
    public void setAside(TableShard table, String object, Exception cause, Lsn needed) {
        damaged.setAside(table, object, cause, needed);
    }

    /** Throws when a table is set aside. */
    public void checkNotSetAside(TableId tableId) {
        tables.checkNotSetAside(tableId);
    }

    public Optional<SteleException> refusal(TableId tableId) {
        return tables.refusal(tableId);
    }

    /** Removes a set-aside table for good, since it is dropped; any thread. */
    public Optional<TableShard> forgetSetAside(TableId tableId) {
        return tables.forget(tableId).map(SetAsideTable::table);
    }

    /** The tables that are set aside; any thread. */
    public List<TableId> setAside() {
        return tables.setAside().stream().map(aside -> aside.table().schema().id()).toList();
    }

    /**
     * The objects that cannot be used here, and the tables that are not served because of them; any
     * thread.
     */
    public List<Damage> damages() {
        List<Damage> found = new ArrayList<>();
        state.damage().ifPresent(found::add);
        tables.setAside().forEach(aside -> found.addAll(aside.damages()));
        return found;
    }

    /**
     * The records that this shard will not put into files, and that a later start needs. On the
     * context.
     */
    public Optional<RetainedRecordFilter> retainedRecords() {
        return retention.retainedRecords();
    }

    /**
     * Frees the memory of a stopped shard, which will not be read or flushed. On the context, while
     * the apply workers are idle.
     */
    public void releaseMemory() {
        retention.releaseMemory();
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
        return writes.write(writerId, sequence, bytes, offset, length);
    }

    /**
     * Refuses a write as BUSY for a reason outside the shard. It may come again under its sequence,
     * and no later batch of the writer overtakes it.
     */
    public CompletableFuture<WriteOutcome> postpone(
            UUID writerId, long sequence, SteleException busy) {
        return writes.postpone(writerId, sequence, busy);
    }

    /**
     * Completes when every write that was decided before the call is applied, including writes of
     * transactions. Writes that are decided later see the shard's present tables and indexes.
     * Called on the context, where the future completes.
     */
    public CompletableFuture<@Nullable Void> drain() {
        return resolver.drain();
    }

    /**
     * Evaluates no conditional writes until {@link #resumeConditional}. Called before the log is
     * held, so that no write is evaluated against rows that the holder changes. Completes when all
     * evaluated writes are in the log's queue.
     */
    public CompletableFuture<@Nullable Void> pauseConditional() {
        return resolver.pause();
    }

    /** Repeats reads of files that failed for conditional writes; on the context. */
    public void retryConditional() {
        resolver.retry();
    }

    /** Ends a pause, when the holder's changes are applied. */
    public void resumeConditional() {
        resolver.resume();
    }

    // ---- transactions
    // -------------------------------------------------------------------------------------------------------------

    /** Logs a transaction's part; completes when it is durable and applied. */
    public CompletableFuture<@Nullable Void> prepare(
            String transactionId,
            Optional<Lsn> readLsn,
            List<FileEntry> newFiles,
            List<byte[]> newBatches,
            List<PartitionDelete> deletes) {
        return transactions.prepare(transactionId, readLsn, newFiles, newBatches, deletes);
    }

    /** As {@link ShardTransactions#prefetch}, of a part that is not logged; any thread. */
    public CompletableFuture<@Nullable Void> prefetchCommit(CommitPart part, Executor reads) {
        return transactions.prefetch(part.prepared(), reads);
    }

    /** As {@link OnePhaseCommits#vote}; {@link #resumeConditional} must follow. Any thread. */
    public CompletableFuture<CommitVote> vote(CommitPart part) {
        return onePhase.vote(part);
    }

    /** As {@link OnePhaseCommits#giveBack}; any thread. */
    public void giveBack(CommitVote vote) {
        onePhase.giveBack(vote);
    }

    /** Checks a batch that a transaction stages; returns how many rows it appends. */
    public int validate(WriteBatchReader batch) {
        return writes.validate(batch);
    }

    /** As {@link ShardTransactions#decide}; any thread. */
    public CompletableFuture<CompletableFuture<@Nullable Void>> decide(
            LogHold hold, String transactionId, boolean committed) {
        return transactions.decide(hold, transactionId, committed);
    }

    /** Logs the abort of an undecided transaction. */
    public CompletableFuture<@Nullable Void> abort(String transactionId) {
        return transactions.abort(transactionId);
    }

    /** As {@link ShardTransactions#prefetch}; any thread. */
    public CompletableFuture<@Nullable Void> prefetchCommit(String transactionId, Executor reads) {
        return transactions.prefetch(transactionId, reads);
    }

    /** As {@link ShardTransactions#findConflict}; any thread. */
    public CompletableFuture<Optional<SteleException>> findConflict(
            String transactionId,
            Lsn commitLsn,
            long maxResolvedBytes,
            Optional<InsertedKeys> inserted) {
        return transactions.findConflict(transactionId, commitLsn, maxResolvedBytes, inserted);
    }

    // ---- state
    // -------------------------------------------------------------------------------------------------------------

    /** Completes when every record at or below {@code lsn} is applied. */
    public CompletableFuture<@Nullable Void> awaitApplied(Lsn lsn) {
        return applied.await(lsn);
    }

    public Lsn appliedLsn() {
        return applied.applied();
    }

    public WriteGate gate() {
        return gate;
    }

    /** Releases slowed writes that may pass now; any thread. */
    public void pokeGate() {
        gate.poke();
    }

    /** The status of the write gate; any thread. */
    public GateStatus gateStatus() {
        return gate.status();
    }

    /** Bytes of batches that wait at the write gate or in the resolver's queue. */
    public long waitingBytes() {
        return gate.waitingBytes() + resolver.queuedBytes();
    }

    /** Throws when the shard stopped serving, or does not serve yet. */
    public void checkServing() {
        state.checkServing();
    }

    /**
     * Stops serving for good: what is in memory, or the ownership of the shard, can no longer be
     * trusted.
     */
    public void fail(SteleException cause) {
        state.fail(cause);
    }

    /**
     * Stops serving for good because of one object.
     *
     * @param object what cannot be used
     */
    public void fail(String object, SteleException cause) {
        state.fail(object, cause);
    }

    public Optional<SteleException> failure() {
        return state.failure();
    }

    // ---- application
    // --------------------------------------------------------------------------------------------------------

    /** Takes durable records; called by the log in LSN order. */
    public void onDurable(List<DurableRecord> records) {
        records.forEach(record -> OnePhaseCommits.durable(record.attachment(), record.lsn()));
        queue.arrived(records);
    }

    /**
     * Called regularly: retries records that wait for the store if it is time, and reconsiders the
     * number of apply workers; on the context.
     */
    public void retryApply() {
        queue.retryApply();
        queue.considerWorkers();
    }

    /** Whether nothing is being applied concurrently; only on the context. */
    public boolean isAtRest() {
        return queue.isAtRest();
    }

    /** The status of the application of records; any thread. */
    public ApplyStatus applyStatus() {
        return queue.status();
    }

    /** The wait of the application of records for the store, if there is one; any thread. */
    public Optional<StoreWait> storeWait() {
        return queue.storeWait();
    }

    // ---- recovery and maintenance
    // -------------------------------------------------------------------------------------------

    /**
     * Applies records while the shard is being recovered, in log order; one thread. If a record
     * cannot be decoded, the shard stops, and the record is retained for a release that can read
     * it.
     *
     * @throws IOException if the store does not answer
     */
    public void replay(List<LoggedRecord> records) throws IOException {
        if (!state.isFailed()) {
            replay.run(
                    records,
                    new RecordReplay.Progress() {
                        @Override
                        public void applied(Lsn lsn) {
                            applied.advance(lsn);
                        }

                        @Override
                        public void stopped(Lsn lsn, Exception broken) {
                            state.stopRecovering(state.recordName(lsn), broken);
                        }

                        @Override
                        public boolean isStopped() {
                            return state.isFailed();
                        }
                    });
        }
    }

    /**
     * Notes that the transaction of a retained PREPARE record has ended. The record was retained
     * when its segment was deleted although the shard served, so its outcome matters only to tables
     * whose records are also retained. Before {@link #start} only.
     *
     * @param object the path at which it is stored
     */
    public void settled(String object, ByteBuffer prepare) {
        try {
            prepared.settled(TransactionRecords.decodePrepare(prepare).transactionId());
        } catch (SteleException unreadable) {
            stopRecovering(object, unreadable);
        }
    }

    /**
     * Retains records of tables that are missing in the catalog but were not dropped; before {@link
     * #start} only.
     *
     * @param isLost whether a table is missing in this way and needs the record at an LSN
     */
    public void keepLost(BiPredicate<TableId, Lsn> isLost) {
        tables.keepLost(isLost);
    }

    /** The tables missing in the catalog of which records were found; any thread. */
    public Set<TableId> lostTables() {
        return Set.copyOf(tables.lost().keySet());
    }

    /**
     * Sets the workers' files that are given up, which transactions pass over; before {@link
     * #start} only.
     */
    public void passOver(Predicate<FileEntry> dropped) {
        transactions.passOver(dropped);
    }

    /**
     * Stops the shard before it serves, because it cannot be recovered completely.
     *
     * @param object what cannot be used
     */
    public void stopRecovering(String object, Exception broken) {
        state.stopRecovering(object, broken);
    }

    /** Transactions whose outcome is not in the log; before {@link #start} only. */
    public Collection<PreparedPart> inDoubt() {
        return !state.isFailed() ? prepared.inDoubt() : List.of();
    }

    /**
     * Applies an outcome that recovery found, and returns the record to log for it; before {@link
     * #start} only.
     */
    public List<ByteBuffer> resolve(String transactionId, boolean committed, Lsn lsn)
            throws IOException {
        List<ByteBuffer> record = transactions.resolve(transactionId, committed, lsn);
        applied.advance(lsn);
        return record;
    }

    /**
     * Raises the applied LSN to one at or below which a table has every change in files; before
     * {@link #start} only. So a shard whose log is trimmed completely still gets its applied LSN.
     */
    public void restoreApplied(Lsn flushedLsn) {
        applied.advance(flushedLsn);
    }

    /**
     * Restores the progress of a writer from a manifest; before {@link #start} only.
     *
     * @param changed whether it changed since the object of all writers was written
     */
    public void restoreWriter(WriterProgress writer, boolean changed) {
        writers.restore(writer, changed);
    }

    public WriterWindows writers() {
        return writers;
    }

    /** As {@link LogRetention#minLogLsn}; on the context. */
    public long minLogLsn() {
        return retention.minLogLsn();
    }

    /** As {@link LogRetention#heldForWritersSince}; on the context. */
    public OptionalLong heldForWritersSince() {
        return retention.heldForWritersSince();
    }

    public ShardLog log() {
        return state.log();
    }
}
