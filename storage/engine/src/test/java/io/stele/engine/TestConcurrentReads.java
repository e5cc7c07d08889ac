package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.shard.apply.ApplyOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LocalLogFiles;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.protocol.ShardId;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real threads: transactions move amounts between rows, plain writes touch other rows, flushes and
 * compactions run, and readers at snapshots must always find the same sum, the same again at the
 * same point, and in the files of the plan the same as in a snapshot.
 */
class TestConcurrentReads {
    private static final int ROWS = 40;
    private static final long INITIAL = 100;
    private static final int ROUNDS = 120;

    @TempDir private Path directory;

    private final ConcurrentLinkedQueue<Throwable> uncaught = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @CsvSource({"ROW, 1", "COLUMN, 1", "ROW_COLUMN, 1", "ROW, 3", "COLUMN, 2", "ROW_COLUMN, 4"})
    void readersAlwaysSeeOneState(Orientation orientation, int workers) throws Exception {
        StorageOptions options =
                StorageOptions.DEFAULT
                        .withMemTables(16_000, 100_000_000, Duration.ofSeconds(1))
                        .withRetention(Duration.ofMillis(1))
                        .withApply(new ApplyOptions(workers, workers, 0, 100));
        try (EngineThreads threads =
                        EngineThreads.start(
                                2,
                                2,
                                System::nanoTime,
                                Thread.ofPlatform().daemon().factory(),
                                uncaught::add);
                LocalLogFiles log = LocalLogFiles.open(directory);
                StorageEngine engine =
                        StorageEngine.open(
                                options,
                                new InMemoryObjectStore(),
                                log,
                                new HybridClock(System::currentTimeMillis),
                                threads)) {
            TestTable table = TestTable.create(engine, "t", orientation, true, 2);
            for (long id = 0; id < ROWS; id++) {
                table.upsert(engine, id, "row", INITIAL).join();
            }
            run(engine, table);
            assertThat(uncaught).isEmpty();
        }
    }

    private void run(StorageEngine engine, TestTable table) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService executor =
                Executors.newFixedThreadPool(4, Thread.ofPlatform().daemon().factory())) {
            Future<?> upkeep = executor.submit(() -> keepFlushing(engine, table, done));
            Future<?> filler = executor.submit(() -> fill(engine, table, done));
            Future<?> reader = executor.submit(() -> read(engine, table, done));
            try {
                transfer(engine, table);
            } finally {
                done.set(true);
            }
            upkeep.get(120, TimeUnit.SECONDS);
            filler.get(120, TimeUnit.SECONDS);
            reader.get(120, TimeUnit.SECONDS);
        }
        readOnce(engine, table);
    }

    /**
     * One writer of transfers, so that none conflicts and each changes the state of the one before.
     */
    private static void transfer(StorageEngine engine, TestTable table) {
        SplittableRandom random = new SplittableRandom(3);
        long[] amounts = new long[ROWS];
        java.util.Arrays.fill(amounts, INITIAL);
        for (int round = 0; round < ROUNDS; round++) {
            int from = random.nextInt(ROWS);
            int to = (from + 1 + random.nextInt(ROWS - 1)) % ROWS;
            amounts[from]--;
            amounts[to]++;
            String transaction = engine.beginTransaction(table.id(), Optional.empty());
            for (int id : List.of(from, to)) {
                WriteBatchBuilder batch = table.batch();
                batch.upsert(table.key(id), table.row(id, "row", amounts[id]));
                engine.stage(
                        transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
            }
            engine.commit(transaction, List.of(), Optional.empty()).join();
        }
    }

    private static Object keepFlushing(StorageEngine engine, TestTable table, AtomicBoolean done) {
        for (int i = 0; !done.get(); i++) {
            (i % 3 == 2 ? engine.compact(table.id()) : engine.flush(table.id())).join();
        }
        return done;
    }

    /** Other rows of amount 0 come and go. */
    private static Object fill(StorageEngine engine, TestTable table, AtomicBoolean done) {
        SplittableRandom random = new SplittableRandom(4);
        while (!done.get()) {
            long id = (long) ROWS + random.nextInt(200);
            if (random.nextInt(3) == 0) {
                table.delete(engine, id).join();
            } else {
                table.upsert(engine, id, "filler".repeat(20), 0).join();
            }
        }
        return done;
    }

    private static Object read(StorageEngine engine, TestTable table, AtomicBoolean done)
            throws IOException {
        while (!done.get()) {
            readOnce(engine, table);
        }
        return done;
    }

    private static void readOnce(StorageEngine engine, TestTable table) throws IOException {
        LeasedSnapshot snapshot =
                engine.openSnapshot(Optional.empty(), Duration.ofMinutes(1)).join();
        Map<Long, String> rows = table.snapshot(engine, snapshot);
        long sum =
                rows.values().stream()
                        .mapToLong(row -> Long.parseLong(row.substring(row.indexOf(':') + 1)))
                        .sum();
        assertThat(sum).as("sum of all rows at %s", snapshot).isEqualTo(ROWS * INITIAL);
        assertThat(table.snapshot(engine, snapshot)).isEqualTo(rows);
        for (long id = 0; id < ROWS; id += 7) {
            assertThat(table.get(engine, Optional.of(snapshot.lsn()), id))
                    .contains(String.valueOf(rows.get(id)));
        }
        engine.closeSnapshot(snapshot.id());
    }

    @Test
    void aSecondEngineTakesTheShardsOver() throws Exception {
        InMemoryObjectStore store = new InMemoryObjectStore();
        try (EngineThreads threads =
                        EngineThreads.start(
                                2,
                                2,
                                System::nanoTime,
                                Thread.ofPlatform().daemon().factory(),
                                uncaught::add);
                LocalLogFiles firstLog = LocalLogFiles.open(directory.resolve("first"));
                StorageEngine first = open(store, firstLog, threads)) {
            TestTable table = TestTable.create(first, "t", Orientation.ROW, true, 1);
            table.upsert(first, 1, "first", 1).join();
            first.flush(table.id()).join();
            try (LocalLogFiles secondLog = LocalLogFiles.open(directory.resolve("second"));
                    StorageEngine second = open(store, secondLog, threads)) {
                table.upsert(first, 2, "still only in the log of the first", 2).join();
                assertThat(first.flush(table.id()))
                        .failsWithin(Duration.ofSeconds(30))
                        .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                        .withMessageContaining("another engine owns the shard");
                ShardId shard = table.schema().shard(0);
                assertThat(table.upsert(first, 3, "refused", 3))
                        .failsWithin(Duration.ofSeconds(30))
                        .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                        .withMessageContaining("another engine owns the shard");
                assertThat(first.status().failedShards()).hasSize(1);
                assertThat(second.status().failedShards()).isEmpty();
                assertThat(second.status().shards().getFirst().shard()).isEqualTo(shard);
                assertThat(table.get(second, Optional.empty(), 1)).contains("first:1");
            }
        }
    }

    private static StorageEngine open(
            InMemoryObjectStore store, LocalLogFiles log, EngineThreads threads)
            throws IOException {
        return StorageEngine.open(
                // Each has a log of its own: what fences the first one is the manifest
                StorageOptions.DEFAULT.withGivenUpLog(NamedLogs.id(store)),
                store,
                log,
                new HybridClock(System::currentTimeMillis),
                threads);
    }
}
