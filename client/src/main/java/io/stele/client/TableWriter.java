package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.protocol.wire.WriteReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's writer of rows to one table, which routes rows to shards, collects batches, and sends
 * them asynchronously, without duplicate effects. Rows of one key are applied in the order in which
 * they were written here. Thread-safe. Rows are encoded under one lock, so threads that write much
 * should each have a writer.
 *
 * <p>{@link #write} and {@link #delete} allocate no object for each row except its values. The next
 * {@link #write} or {@link #flush} throws a later failure. The other methods for rows, including
 * {@link #delete}, return a future of the LSN of the row's batch, which all rows of the batch
 * share. Futures complete on the threads of the connection, so stages that depend on them must not
 * block.
 *
 * <p>Invariant: a row is applied once if its future completes, at most once if it fails.
 */
public final class TableWriter implements AutoCloseable {
    private static final int INITIAL_BATCH_BYTES = 16 << 10;
    private static final int MAX_SPARE_BATCHES = 16;

    private final SteleClient client;
    private final ClientSettings settings;
    private final Supplier<UUID> writerIds;
    private final InFlightBudget budget;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<BatchFuture> unresolved = ConcurrentHashMap.newKeySet();
    private final ArrayDeque<WriteBatchBuilder> spare = new ArrayDeque<>();
    private final StaleBatches stale = new StaleBatches();
    private volatile UUID writerId;
    private RowBinding binding;
    private ShardBatcher[] batchers;
    private int nextAnyShard;
    private long lastSequence;
    private int unanswered;
    private int gathering; // calls that are adding rows to send together
    private boolean closed;
    private volatile @Nullable SteleException failure;
    private volatile Lsn lastLsn = Lsn.MIN;
    private long skippedRows;

    TableWriter(
            SteleClient client,
            CachedTable table,
            Supplier<UUID> writerIds,
            InFlightBudget budget) {
        this.client = requireNonNull(client, "client is null");
        this.settings = client.settings();
        this.writerIds = requireNonNull(writerIds, "writerIds is null");
        this.writerId = writerIds.get();
        this.budget = requireNonNull(budget, "budget is null");
        this.binding = new RowBinding(table);
        this.batchers = newBatchers();
    }

    /**
     * The id of this writer, by which shards recognize repeated batches. It changes when batches
     * that were refused as BUSY are given up.
     */
    public UUID writerId() {
        return writerId;
    }

    /** The latest schema that this writer has fetched. */
    public TableSchema schema() {
        lock.lock();
        try {
            return binding.schema();
        } finally {
            lock.unlock();
        }
    }

    /** The layout of rows for {@link #write(byte[], int, int)}. */
    public RowLayout layout() {
        lock.lock();
        try {
            return binding.layout();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes a row, one value for each column in table order, of the classes of {@link
     * io.stele.protocol.row.Rows}. It replaces the row of its primary key, or is appended to a
     * table without a primary key. Waits while too many bytes are unanswered.
     *
     * @throws SteleException if the row is wrong; or if an earlier row failed, which {@link #flush}
     *     clears
     */
    public void write(@Nullable Object... values) {
        checkNotFailed();
        put(values);
    }

    /** Writes a row that is encoded in {@link #layout()}, as {@link #write(Object...)}. */
    public void write(byte[] row, int offset, int length) {
        checkNotFailed();
        budget.awaitRoom();
        lock.lock();
        try {
            checkOpen();
            binding.setRow(row, offset, length);
            add(putKind());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Deletes a row by its primary key, one value for each key column; an absent row is no error.
     */
    public CompletableFuture<Lsn> delete(@Nullable Object... key) {
        budget.awaitRoom();
        lock.lock();
        try {
            checkOpen();
            binding.setKey(key);
            return add(OperationKind.DELETE);
        } finally {
            lock.unlock();
        }
    }

    /** Writes a row of a table with a primary key. */
    public CompletableFuture<Lsn> upsert(@Nullable Object... values) {
        checkKind(OperationKind.UPSERT);
        return put(values);
    }

    /**
     * Writes a row of a new key. If the key has a row, only this future fails, with DUPLICATE_KEY
     * naming the key, because each such row is sent as a separate batch.
     */
    public CompletableFuture<Lsn> insert(@Nullable Object... values) {
        return put(OperationKind.INSERT, values);
    }

    /** Writes a row if its key has no row; else skips it, which {@link #skippedRows} counts. */
    public CompletableFuture<Lsn> insertIfAbsent(@Nullable Object... values) {
        return put(OperationKind.INSERT_IF_ABSENT, values);
    }

    /**
     * Changes some columns of a row, and does not change the others. A key without a row is
     * skipped, which {@link #skippedRows} counts.
     *
     * @param columns the names of the columns, including the primary key
     * @param values one value for each column, in the order of the columns
     */
    public CompletableFuture<Lsn> update(List<String> columns, @Nullable Object... values) {
        return putPartial(OperationKind.UPDATE, columns, values);
    }

    /**
     * Changes some columns of a row, as {@link #update}, but a key without a row gets a row whose
     * other columns are null. If one of these is NOT NULL, the future fails with NULL_KEY, and so
     * do all rows of its batch.
     */
    public CompletableFuture<Lsn> updateOrInsert(List<String> columns, @Nullable Object... values) {
        return putPartial(OperationKind.UPDATE_OR_INSERT, columns, values);
    }

    /** Writes a row of a table without a primary key. */
    public CompletableFuture<Lsn> append(@Nullable Object... values) {
        checkKind(OperationKind.APPEND);
        return put(values);
    }

    /**
     * Writes rows and returns an LSN at or after which all of them are visible. Not a transaction:
     * some rows may become visible before others, and some may fail.
     */
    public CompletableFuture<Lsn> writeBatch(List<@Nullable Object[]> rows) {
        Set<CompletableFuture<Lsn>> futures = new LinkedHashSet<>();
        beginGathering();
        try {
            for (@Nullable Object[] row : rows) {
                futures.add(put(row));
            }
        } finally {
            endGathering();
        }
        return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                .thenApply(
                        ignored ->
                                futures.stream()
                                        .map(CompletableFuture::join)
                                        .max(Comparator.naturalOrder())
                                        .orElse(Lsn.MIN));
    }

    /**
     * Waits until every row written so far is durable and applied, and returns the greatest LSN of
     * this writer.
     *
     * @throws SteleException the first failure since the last flush; this call clears it
     */
    public Lsn flush() {
        List<BatchFuture> waited = sendOpen();
        for (BatchFuture future : waited) {
            try {
                future.get();
            } catch (ExecutionException e) {
                // It is recorded as this writer's failure, which is thrown below.
                continue;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SteleException(
                        ErrorCode.INTERNAL, "Interrupted while waiting for writes", e);
            }
        }
        SteleException first;
        lock.lock();
        try {
            first = failure;
            failure = null;
        } finally {
            lock.unlock();
        }
        if (first != null) {
            throw rethrown(first);
        }
        return lastLsn;
    }

    /**
     * The greatest LSN acknowledged to this writer; a reader at or after it sees all of its
     * acknowledged rows.
     */
    public Lsn lastLsn() {
        return lastLsn;
    }

    /**
     * The number of acknowledged rows of this writer that had no effect because of the present
     * rows.
     */
    public long skippedRows() {
        lock.lock();
        try {
            return skippedRows;
        } finally {
            lock.unlock();
        }
    }

    /** Flushes, and accepts no more rows. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            lock.unlock();
        }
        flush();
    }

    private CompletableFuture<Lsn> put(@Nullable Object[] values) {
        budget.awaitRoom();
        lock.lock();
        try {
            checkOpen();
            binding.setRow(values);
            return add(putKind());
        } finally {
            lock.unlock();
        }
    }

    private CompletableFuture<Lsn> put(OperationKind kind, @Nullable Object[] values) {
        budget.awaitRoom();
        lock.lock();
        try {
            checkOpen();
            checkKeyed(kind);
            binding.setRow(values);
            return add(kind);
        } finally {
            lock.unlock();
        }
    }

    private CompletableFuture<Lsn> putPartial(
            OperationKind kind, List<String> columns, @Nullable Object[] values) {
        budget.awaitRoom();
        lock.lock();
        try {
            checkOpen();
            checkKeyed(kind);
            binding.setPartialRow(columns, values);
            return add(kind);
        } finally {
            lock.unlock();
        }
    }

    private void checkKeyed(OperationKind kind) {
        if (!binding.schema().hasPrimaryKey()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a primary key for "
                            + kind
                            + ", found "
                            + binding.schema().qualifiedName()
                            + ", which has none");
        }
    }

    private BatchFuture add(OperationKind kind) {
        return add(kind, binding, batcherFor(binding.shard(), nextAnyShard)).future();
    }

    private static WriteRequest add(OperationKind kind, RowBinding row, ShardBatcher batcher) {
        return batcher.add(
                kind, row.key(), row.keyLength(), row.row(), row.rowOffset(), row.rowLength());
    }

    private ShardBatcher batcherFor(int shard, int anyShard) {
        if (shard != RowBinding.ANY_SHARD) {
            return batchers[shard];
        }
        if (!batchers[anyShard].hasOpen()) {
            nextAnyShard = (anyShard + 1) % batchers.length; // a new shard for each batch
        }
        return batchers[nextAnyShard];
    }

    private OperationKind putKind() {
        return binding.schema().hasPrimaryKey() ? OperationKind.UPSERT : OperationKind.APPEND;
    }

    private void checkKind(OperationKind wanted) {
        lock.lock();
        try {
            if (putKind() != wanted) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected a table that takes "
                                + putKind()
                                + ", found "
                                + wanted
                                + " for "
                                + binding.schema().qualifiedName());
            }
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "The writer of " + binding.schema().qualifiedName() + " is closed");
        }
    }

    private void checkNotFailed() {
        SteleException first = failure;
        if (first != null) {
            throw rethrown(first);
        }
    }

    private static SteleException rethrown(SteleException first) {
        return new SteleException(first.code(), String.valueOf(first.getMessage()), first);
    }

    private List<BatchFuture> sendOpen() {
        lock.lock();
        try {
            flushBatchers();
            return new ArrayList<>(unresolved);
        } finally {
            lock.unlock();
        }
    }

    /** Lets only full batches be sent until {@link #endGathering}. */
    private void beginGathering() {
        lock.lock();
        try {
            gathering++;
        } finally {
            lock.unlock();
        }
    }

    private void endGathering() {
        lock.lock();
        try {
            gathering--;
            flushBatchers();
        } finally {
            lock.unlock();
        }
    }

    private void flushBatchers() {
        for (ShardBatcher batcher : batchers) {
            batcher.flush();
        }
    }

    private ShardBatcher[] newBatchers() {
        TableSchema schema = binding.schema();
        ShardBatcher[] created = new ShardBatcher[schema.shardCount()];
        for (int i = 0; i < created.length; i++) {
            ShardId shard = new ShardId(schema.tableGroup(), i);
            created[i] =
                    new ShardBatcher(
                            this,
                            writerId,
                            shard,
                            client.connection(binding.table().owner(i)),
                            settings);
        }
        return created;
    }

    // Called by the batchers, under the lock.

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    WriteRequest newRequest(ShardBatcher batcher) {
        TableSchema schema = binding.schema();
        WriteBatchBuilder batch = spare.poll();
        if (batch == null) {
            batch = new WriteBatchBuilder(schema.id(), schema.schemaVersion(), INITIAL_BATCH_BYTES);
        } else {
            batch.reset(schema.id(), schema.schemaVersion());
        }
        return new WriteRequest(batcher, batch, client.ticker().getAsLong());
    }

    void opened(WriteRequest batch) {
        unresolved.add(batch.future());
    }

    void sealed(WriteRequest batch) {
        budget.add(batch.batch().sizeBytes());
    }

    boolean isPaused() {
        return stale.isCollecting();
    }

    boolean isGathering() {
        return gathering > 0;
    }

    long nextSequence() {
        unanswered++;
        return ++lastSequence;
    }

    void sentAgain() {
        unanswered++;
    }

    UUID newWriterId() {
        writerId = writerIds.get();
        return writerId;
    }

    // Called by the connections, without the lock.

    void acknowledged(WriteRequest request, WriteReply reply) {
        Lsn lsn = reply.lsn();
        int size = request.batch().sizeBytes();
        List<WriteRequest> overtaken;
        lock.lock();
        try {
            overtaken = request.batcher().acknowledged(request);
            unanswered--;
            stale.accepted();
            skippedRows += reply.skipped();
            if (lsn.compareTo(lastLsn) > 0) {
                lastLsn = lsn;
            }
            if (spare.size() < MAX_SPARE_BATCHES
                    && request.batch().buffer().length <= 2 * settings.maxBatchBytes()) {
                spare.add(request.batch());
            }
        } finally {
            unlockAfterAnswer();
        }
        client.acknowledged(lsn);
        budget.release(size);
        request.complete(lsn).forEach(unresolved::remove);
        overtaken.forEach(batch -> unsentFailed(batch, overtakenFailure(batch)));
    }

    /** Called when a shard refused a batch as BUSY: sends it again, unless it was overtaken. */
    void busy(WriteRequest request, SteleException cause) {
        boolean postponed;
        lock.lock();
        try {
            request.batcher().answered(request);
            unanswered--;
            postponed = request.batcher().postpone(request, cause, client.ticker().getAsLong());
        } finally {
            unlockAfterAnswer();
        }
        if (!postponed) {
            unsentFailed(request, overtakenFailure(request));
        }
    }

    /**
     * Called when the socket of an unanswered batch is lost: postpones it if earlier batches are
     * postponed, and returns whether it did.
     */
    boolean takenBack(WriteRequest request) {
        boolean taken;
        lock.lock();
        try {
            taken = request.batcher().takeBack(request);
            unanswered -= taken ? 1 : 0;
        } finally {
            unlockAfterAnswer();
        }
        return taken;
    }

    /**
     * Whether a batch may be applied although its failure states that it is not. UNAVAILABLE does
     * not state this, and a refusal that the sidecar remembers was also the reply to the lost
     * request.
     */
    private static boolean mayBeApplied(WriteRequest batch, SteleException cause) {
        return batch.wasLost()
                && switch (cause.code()) {
                    case UNAVAILABLE, DUPLICATE_KEY, NULL_KEY -> false;
                    default -> true;
                };
    }

    private static SteleException unknownOutcome(WriteRequest batch, SteleException cause) {
        return new SteleException(
                ErrorCode.OUTCOME_UNKNOWN,
                "A batch of %d rows for shard %s may be applied, since it was sent over a connection that was lost; then: %s"
                        .formatted(batch.rowCount(), batch.batcher().shard(), cause.getMessage()),
                cause);
    }

    private static SteleException overtakenFailure(WriteRequest batch) {
        return new SteleException(
                ErrorCode.BUSY,
                "Shard "
                        + batch.batcher().shard()
                        + " refused a batch as BUSY and applied a later one, so that sending it again would change the order of rows; its "
                        + batch.rowCount()
                        + " rows are not applied");
    }

    void failed(WriteRequest request, SteleException cause) {
        lock.lock();
        try {
            request.batcher().answered(request);
            unanswered--;
        } finally {
            unlockAfterAnswer();
        }
        unsentFailed(request, cause);
    }

    void unsentFailed(WriteRequest request, SteleException cause) {
        SteleException known =
                mayBeApplied(request, cause) ? unknownOutcome(request, cause) : cause;
        lock.lock();
        try {
            if (failure == null && !request.isAlone()) {
                failure = known;
            }
        } finally {
            lock.unlock();
        }
        budget.release(request.batch().sizeBytes());
        request.fail(known);
        request.futures().forEach(unresolved::remove);
    }

    /**
     * Called when a batch was refused because it was encoded for another than the present version
     * of the table.
     */
    void stale(WriteRequest request, SteleException cause) {
        lock.lock();
        try {
            request.batcher().answered(request);
            unanswered--;
            stale.add(request);
        } finally {
            unlockAfterAnswer();
        }
    }

    /**
     * Releases the lock after a batch was answered or taken back. After the last unanswered one,
     * while stale batches are collected, it fetches the table: once, since no batch is sent before
     * {@link #refreshed}, and without the lock, since this thread may send the request.
     */
    private void unlockAfterAnswer() {
        boolean isDrained = stale.isCollecting() && unanswered == 0;
        TableSchema schema = binding.schema();
        lock.unlock();
        if (isDrained) {
            client.describe(schema.schemaName(), schema.tableName()).whenComplete(this::refreshed);
        }
    }

    private void refreshed(@Nullable CachedTable table, @Nullable Throwable thrown) {
        List<FailedRequest> failed = new ArrayList<>();
        lock.lock();
        try {
            List<WriteRequest> earlier = stale.takeWith(batchers);
            try {
                if (table == null) {
                    throw SteleClient.toSteleException(
                            requireNonNull(thrown, "neither table nor failure"));
                }
                RowBinding before = binding;
                bind(new RowBinding(table));
                earlier.forEach(request -> addAgain(before, request, failed));
            } catch (RuntimeException e) {
                failed.clear();
                SteleException cause = SteleClient.toSteleException(e);
                earlier.forEach(request -> failed.add(new FailedRequest(request, cause)));
            } finally {
                stale.collected();
            }
            flushBatchers();
        } finally {
            lock.unlock();
        }
        failed.forEach(request -> unsentFailed(request.request, request.cause));
    }

    private void bind(RowBinding next) {
        next.checkSuccessorOf(binding);
        stale.fetched(next.schema());
        binding = next;
        batchers = newBatchers();
        nextAnyShard = 0;
    }

    private void addAgain(RowBinding before, WriteRequest request, List<FailedRequest> failed) {
        int size = request.batch().sizeBytes();
        byte[] bytes = request.batch().buffer();
        int sameShard = request.batcher().shard().index() % batchers.length;
        try {
            WriteBatchReader operations = new WriteBatchReader(bytes, 0, size);
            while (operations.next()) {
                binding.setEarlier(
                        operations.kind(),
                        before,
                        bytes,
                        operations.keyOffset(),
                        operations.keyLength(),
                        operations.rowOffset(),
                        operations.rowLength());
                int shard = binding.shard() == RowBinding.ANY_SHARD ? sameShard : binding.shard();
                add(operations.kind(), binding, batchers[shard]).addFuturesOf(request);
            }
        } catch (SteleException e) {
            failed.add(new FailedRequest(request, e));
            return;
        }
        budget.release(size);
        request.complete(Lsn.MIN).forEach(unresolved::remove);
    }

    private record FailedRequest(WriteRequest request, SteleException cause) {}
}
