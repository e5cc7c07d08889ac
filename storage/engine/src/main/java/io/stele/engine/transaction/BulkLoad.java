package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.node.Shards;
import io.stele.engine.node.WriteBudget;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A bulk load: the insertion of any number of rows into a table by one transaction. A few rows are
 * staged, and go to the log with the commit. Of a table of one orientation and without indexes,
 * more than a buffer become files, a buffer after the other, while the next one is filled; the
 * commit names them, as it does with files of workers. These are column files, or sorted SST files,
 * which are merged at the end where their keys overlap. All rows go the same way, since rows of
 * files and staged ones are not checked against each other for duplicate keys.
 *
 * <p>Invariant: what is held counts as staged rows in the node's budget, from the moment it is held
 * until it is in files, in the transaction, or given up. Invariant: nothing is held once the
 * transaction has ended, also if the client sends no more rows.
 *
 * <p>Confined to one thread at a time, except that the transaction may end on another one.
 */
public final class BulkLoad implements AutoCloseable {
    /** Files of a sixteenth of the least useful size, 256 KiB, are refused. */
    private static final int TINY_FRACTION = 16;

    /** Where memory is short, an eighth of a buffer is written. */
    private static final int SHORT_BUFFER = 8;

    private final String transactionId;
    private final TableSchema table;
    private final Duration ttl;
    private final BulkLoadOptions options;
    private final long batchBytes;
    private final Shards shards;
    private final Transactions transactions;
    private final List<String> filePrefixes;
    private final WriteBudget budget;
    private final LoadWait wait;
    private final WriteRoom room; // holds nothing: what is staged takes its memory itself
    private final OperationKind kind;
    private final LoadedFiles files;
    private final HeldRows held;
    private final HeldPartitions partitions; // of held rows, until files are begun
    private final Map<Integer, WriteBatchBuilder> batches = new TreeMap<>();
    private final AtomicBoolean isGivenUp = new AtomicBoolean();
    private Optional<String> whyStaged;
    private volatile boolean isFinished;

    /**
     * @param transactionId of an open transaction, at whose end the caller {@linkplain #giveUp
     *     gives the load up}
     * @param ttl the transaction lives so long after its last rows
     * @param loading writes the files
     * @param isClosing whether the engine is being closed: files are not written any more
     * @throws SteleException TRANSACTION_NOT_FOUND
     */
    BulkLoad(
            String transactionId,
            TableSchema table,
            Duration ttl,
            BulkLoadOptions options,
            Shards shards,
            Transactions transactions,
            TableFiles tableFiles,
            WriteBudget budget,
            Executor loading,
            LoadWait wait,
            BooleanSupplier isClosing) {
        this.transactionId = requireNonNull(transactionId, "transactionId is null");
        this.table = requireNonNull(table, "table is null");
        this.ttl = requireNonNull(ttl, "ttl is null");
        this.options = requireNonNull(options, "options is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.filePrefixes = transactions.filePrefixes(transactionId);
        this.budget = requireNonNull(budget, "budget is null");
        this.wait = requireNonNull(wait, "wait is null");
        this.room = budget.room();
        this.kind = table.hasPrimaryKey() ? OperationKind.INSERT : OperationKind.APPEND;
        this.files = new LoadedFiles(transactionId, table, tableFiles, budget, loading, isClosing);
        this.held = new HeldRows(transactionId, budget);
        this.partitions =
                new HeldPartitions(
                        table,
                        1
                                + Math.toIntExact(
                                        Math.min(1 << 20, options.stagedBytes() / tinyBytes())));
        this.whyStaged = whyStaged(table);
        // Those of all shards together are a buffer at most, where they do not count at once
        this.batchBytes =
                whyStaged.isPresent()
                        ? options.batchBytes()
                        : Math.min(
                                options.batchBytes(), options.bufferBytes() / table.shardCount());
    }

    /** Why rows of a table cannot become files here; empty: they can. */
    private static Optional<String> whyStaged(TableSchema table) {
        if (table.orientation() == Orientation.ROW_COLUMN) {
            return Optional.of(
                    "orientation '%s', whose rows all go to the log: write them in several statements, or into a table of one orientation"
                            .formatted(table.orientation().text()));
        }
        // The entries of ingested files come into memory at once
        return table.options().indexes().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "indexes, for which its rows go to the log: write them in several statements, or add the indexes afterwards");
    }

    /**
     * Adds a row.
     *
     * @param shard index of the row's shard
     * @param key empty in a table without a primary key; not kept
     * @param row in the layout of the table's columns; not kept
     * @return whether {@link #drain} is due before the next row
     */
    public boolean add(int shard, byte[] key, byte[] row, int length) {
        WriteBatchBuilder batch = batches.get(shard);
        if (batch == null) {
            batch = new WriteBatchBuilder(table.id(), table.schemaVersion());
            batches.put(shard, batch);
        }
        batch.add(kind, key, 0, key.length, row, 0, length);
        return batch.sizeBytes() >= batchBytes;
    }

    /**
     * Moves the rows of a shard on; waits for files while a buffer is being written and the next
     * one is full, or there is no memory.
     *
     * @throws SteleException BUSY: to be repeated; TRANSACTION_NOT_FOUND: the transaction has
     *     ended; TRANSACTION_TOO_LARGE: rows cannot become files, and are too many to be staged;
     *     what is wrong with rows, and STORE_FAILED
     */
    public void drain(int shard) {
        if (!transactions.renew(transactionId, ttl)) {
            throw ended();
        }
        WriteBatchBuilder batch = batches.get(shard);
        if (batch == null || batch.isEmpty()) {
            return;
        }
        int unused =
                shards.shard(table.shard(shard))
                        .validate(new WriteBatchReader(batch.buffer(), 0, batch.sizeBytes()));
        if (whyStaged.isEmpty() && isFull(batch.sizeBytes())) {
            moveOn();
        }
        if (whyStaged.isPresent()) {
            stage(shard, batch);
        } else {
            hold(shard, batch.toByteArray());
        }
        batch.reset(table.id(), table.schemaVersion());
    }

    private SteleException ended() {
        return new SteleException(
                ErrorCode.TRANSACTION_NOT_FOUND,
                "Expected rows of table %s at least every %s s until the end of the statement, found that its transaction %s has ended"
                        .formatted(table.qualifiedName(), ttl.toSeconds(), transactionId));
    }

    /** Whether rows must move on before more are held. */
    private boolean isFull(long moreBytes) {
        boolean waitsForMore =
                !files.isBegun() && (HeldPartitions.areFiles(table) || isScattered());
        // What the log takes can go there until it is known that files are large enough
        return waitsForMore
                ? held.sizeBytes() + moreBytes > options.stagedBytes()
                : held.sizeBytes() >= options.bufferBytes();
    }

    /** Whether what is held would become small files. */
    private boolean isScattered() {
        return partitions.count() * options.minFileBytes() > held.sizeBytes();
    }

    /** Whether files of what is held would be so small that there must be none. */
    private boolean wouldBeTiny() {
        return partitions.count() * tinyBytes() > held.sizeBytes();
    }

    private long tinyBytes() {
        return Math.max(1, options.minFileBytes() / TINY_FRACTION);
    }

    private void moveOn() {
        if (!files.isBegun() && wouldBeTiny()) {
            whyStaged =
                    Optional.of(
                            "rows of %s partitions and shards or more, which go to the log: write them in several statements, or in the order of their partitions"
                                    .formatted(partitions.count()));
            stageHeld();
            return;
        }
        writeHeld();
    }

    private void writeHeld() {
        await(files.writing());
        files.write(held.removeAll());
        partitions.clear();
    }

    private void hold(int shard, byte[] batch) {
        takeRoom(batch.length);
        held.add(shard, batch);
        if (!files.isBegun()) {
            partitions.add(shard, batch);
        }
    }

    private void takeRoom(long bytes) {
        while (true) {
            try {
                budget.takeStaged(bytes, 0);
                return;
            } catch (SteleException busy) {
                if (busy.code() != ErrorCode.BUSY || !giveBackRoom()) {
                    throw busy;
                }
            }
        }
    }

    /** Makes files of what is held, and waits for them; false if they would be small. */
    private boolean giveBackRoom() {
        if (!files.writing().isDone()) {
            await(files.writing());
            return true;
        }
        if (held.sizeBytes() == 0
                || held.sizeBytes() < options.bufferBytes() / SHORT_BUFFER
                || !files.isBegun() && wouldBeTiny()) {
            return false;
        }
        writeHeld();
        return true;
    }

    /** Waits for a step of this load. The client can do nothing meanwhile, so nothing expires. */
    private void await(CompletableFuture<?> step) {
        if (!transactions.suspendExpiry(transactionId)) {
            throw ended();
        }
        try {
            wait.until(step);
        } finally {
            transactions.resumeExpiry(transactionId, ttl);
        }
    }

    private void stageHeld() {
        Map<Integer, List<byte[]>> all = held.removeAll();
        partitions.clear();
        long leftBytes =
                all.values().stream().flatMap(List::stream).mapToLong(rows -> rows.length).sum();
        boolean isWhole = false;
        try {
            for (Map.Entry<Integer, List<byte[]>> ofShard : all.entrySet()) {
                for (byte[] batch : ofShard.getValue()) {
                    transactions.stageTaken(
                            transactionId, table.shard(ofShard.getKey()), table.id(), batch);
                    leftBytes -= batch.length;
                }
            }
            isWhole = true;
        } catch (SteleException refused) {
            throw explained(refused);
        } finally {
            if (!isWhole) { // a part of the rows must never be committed
                budget.giveBackStaged(leftBytes);
                var unused = transactions.abort(transactionId);
            }
        }
    }

    private void stage(int shard, WriteBatchBuilder batch) {
        try {
            transactions.stage(
                    transactionId,
                    Optional.empty(),
                    table.shard(shard),
                    table.id(),
                    batch.buffer(),
                    0,
                    batch.sizeBytes(),
                    room);
        } catch (SteleException refused) {
            throw explained(refused);
        }
    }

    private SteleException explained(SteleException refused) {
        return refused.code() != ErrorCode.TRANSACTION_TOO_LARGE || whyStaged.isEmpty()
                ? refused
                : new SteleException(
                        refused.code(),
                        "%s; table %s has %s"
                                .formatted(
                                        refused.getMessage(),
                                        table.qualifiedName(),
                                        whyStaged.get()),
                        refused);
    }

    /**
     * Moves all rows on, after the last one; returns the files that the commit names.
     *
     * @throws SteleException as of {@link #drain}
     */
    public List<WrittenFile> finish() {
        List.copyOf(batches.keySet()).forEach(this::drain);
        if (isGivenUp.get()) {
            throw ended();
        }
        boolean areMany =
                files.isBegun() || held.sizeBytes() >= options.bufferBytes() && !isScattered();
        if (whyStaged.isEmpty() && held.sizeBytes() > 0 && areMany) {
            writeHeld();
        }
        List<WrittenFile> written = List.of();
        if (files.isBegun()) {
            await(files.writing());
            files.merge();
            await(files.writing());
            written = files.finish();
        }
        stageHeld(); // few rows, or those of many partitions
        isFinished = true;
        return written;
    }

    /**
     * Frees the memory, and has the files deleted, unless all of them were handed to the commit.
     * Files that are being written are deleted when that ends. Any thread.
     */
    void giveUp() {
        if (!isGivenUp.compareAndSet(false, true)) {
            return;
        }
        held.end();
        var unused =
                files.giveUp()
                        .whenComplete(
                                (_, _) -> {
                                    if (files.isBegun() && !isFinished) {
                                        transactions.sweep(filePrefixes);
                                    }
                                });
    }

    /** Gives up what is not committed, without waiting. */
    @Override
    public void close() {
        giveUp();
        room.close();
    }
}
