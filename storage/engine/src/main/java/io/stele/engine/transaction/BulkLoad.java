package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.compaction.output.RowPartitions;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.node.Shards;
import io.stele.engine.node.WriteBudget;
import io.stele.engine.node.WriteRoom;
import io.stele.engine.row.TableVersions;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;

/**
 * A bulk load: the insertion of any number of rows into a table by one transaction. A few rows are
 * staged, and go to the log with the commit. Of a table with column tablets alone, more than a
 * buffer become column files, a buffer after the other, while the next one is filled; the commit
 * names them, as it does with files of workers. All rows go the same way, since rows of files and
 * staged ones are not checked against each other for duplicate keys.
 *
 * <p>Invariant: what is held counts as staged rows in the node's budget, from the moment it is held
 * until it is in files, in the transaction, or given up.
 *
 * <p>Confined to one thread at a time.
 */
public final class BulkLoad implements AutoCloseable {
    /**
     * A buffer of 64 MiB that is divided into more has files of less than 256 KiB: the log, whose
     * flushes combine them with other rows, is the better way.
     */
    private static final int MAX_FILES_A_BUFFER = 256;

    private final String transactionId;
    private final TableSchema table;
    private final Duration ttl;
    private final BulkLoadOptions options;
    private final long batchBytes;
    private final Shards shards;
    private final Transactions transactions;
    private final WriteBudget budget;
    private final WriteRoom room; // holds nothing: what is staged takes its memory itself
    private final OperationKind kind;
    private final LoadedFiles files;
    private final Map<Integer, WriteBatchBuilder> batches = new TreeMap<>();
    private final Map<Integer, Deque<byte[]>> held = new TreeMap<>();
    private long heldBytes;
    private Optional<String> whyStaged;

    /**
     * @param transactionId of an open transaction
     * @param ttl the transaction lives so long after its last rows
     * @param loading writes the files
     */
    public BulkLoad(
            String transactionId,
            TableSchema table,
            Duration ttl,
            BulkLoadOptions options,
            Shards shards,
            Transactions transactions,
            TableFiles tableFiles,
            WriteBudget budget,
            Executor loading) {
        this.transactionId = requireNonNull(transactionId, "transactionId is null");
        this.table = requireNonNull(table, "table is null");
        this.ttl = requireNonNull(ttl, "ttl is null");
        this.options = requireNonNull(options, "options is null");
        // Those of all shards together are a buffer at most
        this.batchBytes =
                Math.min(options.batchBytes(), options.bufferBytes() / table.shardCount());
        this.shards = requireNonNull(shards, "shards is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.budget = requireNonNull(budget, "budget is null");
        this.room = budget.room();
        this.kind = table.hasPrimaryKey() ? OperationKind.INSERT : OperationKind.APPEND;
        this.files = new LoadedFiles(transactionId, table, shards, tableFiles, budget, loading);
        this.whyStaged = whyStaged(table);
    }

    /** Why rows of a table cannot become files here; empty: they can. */
    private static Optional<String> whyStaged(TableSchema table) {
        if (table.orientation() != Orientation.COLUMN) {
            return Optional.of(
                    "orientation '%s', whose rows all go to the log: write them in several statements, or into a table of orientation 'column'"
                            .formatted(table.orientation().text()));
        }
        return table.options().indexes().stream().anyMatch(IndexSchema::unique)
                ? Optional.of(
                        "unique indexes, for which its rows go to the log: write them in several statements, or add the indexes afterwards")
                : Optional.empty();
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
     * @throws SteleException BUSY: to be repeated; TRANSACTION_TOO_LARGE: rows cannot become files,
     *     and are too many to be staged; what is wrong with rows, and STORE_FAILED
     */
    public void drain(int shard) {
        boolean unused = transactions.renew(transactionId, ttl); // an ended one fails later
        WriteBatchBuilder batch = batches.get(shard);
        if (batch == null || batch.isEmpty()) {
            return;
        }
        if (whyStaged.isEmpty() && heldBytes >= options.bufferBytes()) {
            writeHeld();
        }
        takeRoom(batch.sizeBytes());
        if (whyStaged.isPresent()) {
            stageHeld();
            stage(shard, batch.buffer(), batch.sizeBytes());
        } else {
            held.computeIfAbsent(shard, _ -> new ArrayDeque<>()).add(batch.toByteArray());
            heldBytes += batch.sizeBytes();
        }
        batch.reset(table.id(), table.schemaVersion());
    }

    /** Takes memory for rows that are to be held, unless they will be staged. */
    private void takeRoom(long bytes) {
        while (whyStaged.isEmpty()) {
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

    /** Makes files of what is held, and waits for them; false if there is nothing. */
    private boolean giveBackRoom() {
        if (files.areBeingWritten()) {
            files.await();
            return true;
        }
        if (heldBytes == 0) {
            return false;
        }
        writeHeld();
        return true;
    }

    private void writeHeld() {
        if (!files.isBegun() && isScattered()) {
            whyStaged =
                    Optional.of(
                            "rows of more than %s partitions and shards at a time, which go to the log: write them in several statements, or in the order of their partitions"
                                    .formatted(MAX_FILES_A_BUFFER));
            stageHeld();
            return;
        }
        files.write(held);
        held.clear();
        heldBytes = 0;
    }

    /** Whether what is held would become many small files. */
    private boolean isScattered() {
        if (table.partitionedBy().isEmpty()) {
            return held.size() > MAX_FILES_A_BUFFER;
        }
        TableVersions versions = TableVersions.of(table);
        RowPartitions partitions = new RowPartitions(versions);
        BinaryRow row = new BinaryRow(versions.layout());
        int count = 0;
        for (Deque<byte[]> ofShard : held.values()) {
            Set<ByteBuffer> seen = new HashSet<>();
            for (byte[] bytes : ofShard) {
                WriteBatchReader batch = new WriteBatchReader(bytes);
                while (count + seen.size() <= MAX_FILES_A_BUFFER && batch.next()) {
                    row.wrap(batch.buffer(), batch.rowOffset(), batch.rowLength());
                    seen.add(ByteBuffer.wrap(partitions.of(row)));
                }
            }
            count += seen.size();
        }
        return count > MAX_FILES_A_BUFFER;
    }

    private void stageHeld() {
        held.forEach(
                (shard, ofShard) -> {
                    while (!ofShard.isEmpty()) {
                        byte[] batch = ofShard.getFirst();
                        stage(shard, batch, batch.length);
                        ofShard.removeFirst();
                        heldBytes -= batch.length;
                        budget.giveBackStaged(batch.length);
                    }
                });
    }

    private void stage(int shard, byte[] batch, int length) {
        WriteBatchReader reader = new WriteBatchReader(batch, 0, length);
        shards.shard(table.shard(shard)).validate(reader);
        try {
            transactions.stage(
                    transactionId,
                    Optional.empty(),
                    table.shard(shard),
                    table.id(),
                    batch,
                    0,
                    length,
                    room);
        } catch (SteleException refused) {
            throw refused.code() == ErrorCode.TRANSACTION_TOO_LARGE ? tooLarge(refused) : refused;
        }
    }

    private SteleException tooLarge(SteleException cause) {
        return new SteleException(
                cause.code(),
                "%s; table %s has %s"
                        .formatted(
                                cause.getMessage(),
                                table.qualifiedName(),
                                whyStaged.orElse("few rows")),
                cause);
    }

    /**
     * Moves all rows on, after the last one; returns the files that the commit names.
     *
     * @throws SteleException as of {@link #drain}
     */
    public List<WrittenFile> finish() {
        List.copyOf(batches.keySet()).forEach(this::drain);
        boolean areMany = files.isBegun() || heldBytes >= options.bufferBytes();
        if (whyStaged.isEmpty() && heldBytes > 0 && areMany) {
            writeHeld();
        }
        List<WrittenFile> written = files.isBegun() ? files.finish() : List.of();
        stageHeld(); // few rows, or those of many partitions
        return written;
    }

    /** Gives up what is not committed; waits for files that are being written. */
    @Override
    public void close() {
        files.giveUp();
        held.clear();
        budget.giveBackStaged(heldBytes);
        heldBytes = 0;
        room.close();
    }
}
