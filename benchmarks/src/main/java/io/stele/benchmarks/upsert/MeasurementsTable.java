package io.stele.benchmarks.upsert;

import io.stele.benchmarks.local.LocalEngine;
import io.stele.engine.StorageEngine;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The upsert benchmark's column table of small generated rows, with a primary key or without one.
 * Its columns are (id bigint, reading bigint, ratio double, place varchar(16), state varchar(4));
 * the primary key is id. Rows are made from a number, so what a key must have can be checked.
 */
final class MeasurementsTable {
    private static final int SHARDS = 2;
    private static final int BATCH_ROWS = 1_000;
    private static final int IN_FLIGHT = 8; // batches a writer hands over before it waits
    private static final String[] STATES = {"new", "ok", "warn", "bad"};

    private final StorageEngine engine;
    private final TableSchema schema;
    private final RowLayout layout;
    private final boolean keyed;
    private long writers;

    MeasurementsTable(LocalEngine local, String name, boolean keyed) {
        this.engine = local.engine();
        this.keyed = keyed;
        List<ColumnSchema> columns =
                List.of(
                        new ColumnSchema(1, "id", DataType.parse("bigint")).notNull(),
                        new ColumnSchema(2, "reading", DataType.parse("bigint")),
                        new ColumnSchema(3, "ratio", DataType.parse("double")),
                        new ColumnSchema(4, "place", DataType.parse("varchar(16)")),
                        new ColumnSchema(5, "state", DataType.parse("varchar(4)")));
        schema =
                local.createTable(
                        TableSchema.builder(LocalEngine.schemaName(), name)
                                .columns(columns)
                                .primaryKey(keyed ? List.of(1) : List.of())
                                .shardCount(SHARDS)
                                .build());
        layout = RowLayout.of(schema.columns());
    }

    /** Completes when everything written is in files. */
    void flush() {
        engine.flush(schema.id()).join();
    }

    void compact() {
        engine.compact(schema.id()).join();
    }

    /**
     * Writes rows with as many threads as shards and returns when all are acknowledged.
     *
     * @param ids the id of each row number
     * @param version makes the values of the rows
     */
    void write(long rowCount, LongUnaryOperator ids, long version) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(SHARDS)) {
            List<Future<Void>> done = new ArrayList<>();
            for (int thread = 0; thread < SHARDS; thread++) {
                long from = rowCount * thread / SHARDS;
                long to = rowCount * (thread + 1) / SHARDS;
                UUID writer = new UUID(schema.id().value(), ++writers);
                Callable<Void> work =
                        () -> {
                            new Writer(writer).write(from, to, ids, version);
                            return null;
                        };
                done.add(threads.submit(work));
            }
            for (Future<Void> one : done) {
                one.get();
            }
        }
    }

    /** Ends the benchmark unless the key has the row of the version. */
    void check(long id, long version) throws Exception {
        RowEncoder encoder = new RowEncoder(layout);
        encode(encoder, id, version);
        byte[] expected = encoder.finishToArray();
        byte[] key = KeyEncoder.forPrimaryKey(schema).encode(new BinaryRow(layout).wrap(expected));
        Optional<byte[]> found =
                engine.multiGet(schema.id(), Optional.empty(), List.of(key)).getFirst();
        if (found.isEmpty() || !java.util.Arrays.equals(found.get(), expected)) {
            throw new IllegalStateException(
                    "Expected key %d to have version %d, found %s"
                            .formatted(id, version, found.isPresent() ? "another" : "none"));
        }
    }

    private static void encode(RowEncoder encoder, long id, long version) {
        long mixed = new SplittableRandom(id * 31 + version).nextLong();
        encoder.reset();
        encoder.setLong(0, id);
        encoder.setLong(1, mixed >>> 40);
        encoder.setDouble(2, (mixed & 0xFFFFF) / 1024.0);
        byte[] place = ("place" + (mixed >>> 20) % 100_000).getBytes(StandardCharsets.US_ASCII);
        encoder.setBytes(3, place, 0, Math.min(16, place.length));
        byte[] state = STATES[(int) (mixed & 3)].getBytes(StandardCharsets.US_ASCII);
        encoder.setBytes(4, state, 0, state.length);
    }

    /** One thread's batches, of all shards. Confined to its thread. */
    private final class Writer {
        private final UUID id;
        private final RowEncoder encoder = new RowEncoder(layout);
        private final BinaryRow view = new BinaryRow(layout);
        private final @Nullable RowRouter router = keyed ? RowRouter.of(schema) : null;
        private final @Nullable KeyEncoder keys = keyed ? KeyEncoder.forPrimaryKey(schema) : null;
        private final List<WriteBatchBuilder> batches = new ArrayList<>();
        private final Deque<CompletableFuture<?>> unanswered = new ArrayDeque<>();
        private long sequence;

        Writer(UUID id) {
            this.id = id;
            for (int shard = 0; shard < SHARDS; shard++) {
                batches.add(new WriteBatchBuilder(schema.id(), schema.schemaVersion()));
            }
        }

        void write(long from, long to, LongUnaryOperator ids, long version) {
            for (long number = from; number < to; number++) {
                encode(encoder, ids.applyAsLong(number), version);
                byte[] row = encoder.finishToArray();
                int shard;
                if (router != null && keys != null) {
                    byte[] key = keys.encode(view.wrap(row));
                    shard = router.shardOfKey(key);
                    batches.get(shard).upsert(key, row);
                } else {
                    shard = (int) (number / BATCH_ROWS) % SHARDS;
                    batches.get(shard).append(row);
                }
                if (batches.get(shard).operationCount() == BATCH_ROWS) {
                    send(shard);
                }
            }
            for (int shard = 0; shard < SHARDS; shard++) {
                if (!batches.get(shard).isEmpty()) {
                    send(shard);
                }
            }
            unanswered.forEach(CompletableFuture::join);
        }

        private void send(int shard) {
            byte[] bytes = batches.get(shard).toByteArray();
            batches.get(shard).reset(schema.id(), schema.schemaVersion());
            if (unanswered.size() == IN_FLIGHT) {
                unanswered.removeFirst().join();
            }
            unanswered.addLast(
                    engine.write(schema.shard(shard), id, ++sequence, bytes, 0, bytes.length));
        }
    }
}
