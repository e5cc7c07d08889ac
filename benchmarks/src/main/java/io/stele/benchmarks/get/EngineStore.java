package io.stele.benchmarks.get;

import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.local.LocalEngine;
import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.protocol.ShardId;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.VarcharType;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * The store of the point read benchmark that is Stele's engine, in this process, on files of the
 * local disk. Reads go through the facade that the sidecar's servers use.
 */
final class EngineStore implements LookupStore {
    private static final String TABLE = "usertable";

    /** As many as cores, as the other benchmarks have. */
    private static final int SHARDS = 2;

    private static final int BATCH_ROWS = 1_000;
    private static final UUID WRITER = new UUID(7, 7);

    /**
     * More than all rows need, so that the benchmark and not the flusher decides where they are.
     */
    private static final long MEMTABLE_BYTES = 8L << 30;

    private final String name;
    private final UserRows rows;
    private final LocalEngine local;
    private final StorageEngine engine;
    private final TableSchema schema;
    private final RowLayout layout;
    private final byte[][] keys;

    /**
     * Opens the engine in {@code directory}, with the rows that an earlier one left there.
     *
     * @param rowCacheBytes 0: no row cache
     */
    EngineStore(
            String name,
            UserRows rows,
            Path directory,
            int rowCount,
            long blockCacheBytes,
            long rowCacheBytes)
            throws IOException {
        this.name = name;
        this.rows = rows;
        local =
                LocalEngine.open(
                        directory,
                        options(blockCacheBytes, rowCacheBytes),
                        UnaryOperator.identity());
        engine = local.engine();
        schema = schema(local);
        layout = RowLayout.of(schema.columns());
        KeyEncoder encoder = KeyEncoder.forPrimaryKey(schema);
        keys = new byte[rowCount][];
        for (int number = 0; number < rowCount; number++) {
            keys[number] = encoder.encodeObjects(List.of(UserRows.key(number)));
        }
    }

    private static StorageOptions options(long blockCacheBytes, long rowCacheBytes) {
        return StorageOptions.DEFAULT
                .withMemTables(MEMTABLE_BYTES, 2 * MEMTABLE_BYTES, Duration.ofDays(1))
                .withCaches(
                        new CacheOptions(
                                blockCacheBytes,
                                CacheOptions.DEFAULT.keyIndexBytes(),
                                CacheOptions.DEFAULT.footerBytes(),
                                CacheOptions.DEFAULT.rowGroupBytes(),
                                CacheOptions.DEFAULT.decodedColumnBytes(),
                                rowCacheBytes));
    }

    private static TableSchema schema(LocalEngine local) {
        Catalog catalog = local.engine().catalog().current();
        if (catalog.schemas().contains(LocalEngine.schemaName())) {
            return catalog.table(LocalEngine.schemaName(), TABLE);
        }
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "ycsb_key", VarcharType.VARCHAR).notNull());
        for (int field = 0; field < UserRows.FIELDS; field++) {
            columns.add(new ColumnSchema(2 + field, "field" + field, VarcharType.VARCHAR));
        }
        TableSchema definition =
                TableSchema.builder(LocalEngine.schemaName(), TABLE)
                        .columns(columns)
                        .primaryKey(List.of(1))
                        .orientation(Orientation.ROW)
                        .shardCount(SHARDS)
                        .build();
        return local.createTable(definition);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void load(long rowCount) {
        RowRouter router = RowRouter.of(schema);
        RowEncoder encoder = new RowEncoder(layout);
        List<WriteBatchBuilder> batches = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            batches.add(new WriteBatchBuilder(schema.id(), schema.schemaVersion()));
        }
        long sequence = 0;
        for (int number = 0; number < rowCount; number++) {
            int shard = router.shardOfKey(keys[number]);
            WriteBatchBuilder batch = batches.get(shard);
            batch.upsert(keys[number], encode(encoder, number));
            if (batch.operationCount() == BATCH_ROWS) {
                write(schema.shard(shard), ++sequence, batch).join();
            }
        }
        for (int shard = 0; shard < SHARDS; shard++) {
            if (!batches.get(shard).isEmpty()) {
                write(schema.shard(shard), ++sequence, batches.get(shard)).join();
            }
        }
    }

    private CompletableFuture<?> write(ShardId shard, long sequence, WriteBatchBuilder batch) {
        byte[] bytes = batch.toByteArray();
        batch.reset(schema.id(), schema.schemaVersion());
        return engine.write(shard, WRITER, sequence, bytes, 0, bytes.length);
    }

    private byte[] encode(RowEncoder encoder, int number) {
        encoder.reset();
        Object[] values = rows.values(number);
        for (int column = 0; column < values.length; column++) {
            byte[] text = values[column].toString().getBytes(StandardCharsets.UTF_8);
            encoder.setBytes(column, text, 0, text.length);
        }
        return encoder.finishToArray();
    }

    @Override
    public void flush() {
        engine.flush(schema.id()).join();
    }

    @Override
    public int get(int number) throws IOException {
        return find(number).length;
    }

    private byte[] find(int number) throws IOException {
        return engine.multiGet(schema.id(), Optional.empty(), List.of(keys[number]))
                .getFirst()
                .orElseThrow(() -> new IllegalStateException("Expected row " + number));
    }

    @Override
    public byte[] fields(int number) throws IOException {
        BinaryRow row = new BinaryRow(layout).wrap(find(number));
        GrowingBytes fields = GrowingBytes.forRow();
        for (int column = 1; column <= UserRows.FIELDS; column++) {
            fields.append(row.array(), row.bytesOffset(column), row.bytesLength(column));
        }
        return fields.toByteArray();
    }

    @Override
    public void close() throws IOException {
        local.close();
    }
}
