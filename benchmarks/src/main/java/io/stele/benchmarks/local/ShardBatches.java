package io.stele.benchmarks.local;

import static java.util.Objects.requireNonNull;

import io.stele.engine.StorageEngine;
import io.stele.protocol.Lsn;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A writer of one table: rows go to their shards in batches, and a bounded number of batches is on
 * its way at a time. Confined to one thread.
 */
public final class ShardBatches {
    private final StorageEngine engine;
    private final TableSchema table;
    private final RowLayout layout;
    private final RowRouter router;
    private final KeyEncoder keys;
    private final UUID writerId;
    private final int batchRows;
    private final int pipeline;
    private final List<WriteBatchBuilder> batches = new ArrayList<>();
    private final Deque<CompletableFuture<Lsn>> underway = new ArrayDeque<>();
    private long sequence;

    /**
     * @param writer another one for each writer of the table
     * @param pipeline batches without an answer
     */
    public ShardBatches(
            StorageEngine engine, TableSchema table, long writer, int batchRows, int pipeline) {
        this.engine = requireNonNull(engine, "engine is null");
        this.table = requireNonNull(table, "table is null");
        this.layout = RowLayout.of(table.columns());
        this.router = RowRouter.of(table);
        this.keys = KeyEncoder.forPrimaryKey(table);
        this.writerId = new UUID(table.id().value(), writer);
        this.batchRows = batchRows;
        this.pipeline = pipeline;
        for (int shard = 0; shard < table.shardCount(); shard++) {
            batches.add(new WriteBatchBuilder(table.id(), table.schemaVersion()));
        }
    }

    /** Puts a row in the place of the one with its key. */
    public void upsert(Object... values) {
        byte[] row = Rows.toBytes(layout, values);
        byte[] key = keys.encode(new BinaryRow(layout).wrap(row));
        int shard = router.shardOfKey(key);
        batches.get(shard).upsert(key, row);
        if (batches.get(shard).operationCount() >= batchRows) {
            send(shard);
        }
    }

    /** Completes when everything before is acknowledged. */
    public void flush() {
        for (int shard = 0; shard < batches.size(); shard++) {
            if (!batches.get(shard).isEmpty()) {
                send(shard);
            }
        }
        while (!underway.isEmpty()) {
            underway.remove().join();
        }
    }

    private void send(int shard) {
        if (underway.size() >= pipeline) {
            underway.remove().join();
        }
        WriteBatchBuilder batch = batches.get(shard);
        byte[] bytes = batch.toByteArray();
        batch.reset(table.id(), table.schemaVersion());
        underway.add(
                engine.write(table.shard(shard), writerId, ++sequence, bytes, 0, bytes.length));
    }
}
