package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stele.cache.CacheStatistics;
import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LocalLogFiles;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.testing.LongRun;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real threads: writers change rows, flushes and compactions run, and readers look keys up through
 * a row cache that is too small for all of them. No reader may find less than what was acknowledged
 * before it came, or than it found before; and at a snapshot lookups find what a scan finds, which
 * knows no row cache.
 */
class TestRowCacheReads {
    private static final int KEYS = 60;
    private static final int CHANGES = 500;

    @TempDir private Path directory;

    private final ConcurrentLinkedQueue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
    private final AtomicLongArray acknowledged = new AtomicLongArray(KEYS);
    private final AtomicBoolean done = new AtomicBoolean();

    static List<Arguments> tables() {
        return LongRun.combinations(
                List.of(arguments(Orientation.ROW, 1L), arguments(Orientation.ROW_COLUMN, 4L)),
                List.of(arguments(Orientation.ROW, 2L), arguments(Orientation.COLUMN, 3L)));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void lookupsNeverGoBackInTime(Orientation orientation, long seed) throws Exception {
        StorageOptions options =
                StorageOptions.DEFAULT
                        .withMemTables(16_000, 100_000_000, Duration.ofSeconds(1))
                        .withRetention(Duration.ofMillis(1))
                        .withCaches(
                                new CacheOptions(
                                        1 << 20, 1 << 20, 1 << 20, 1 << 20, 0, KEYS * 150));
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
            run(engine, table, seed);
            assertThat(uncaught).isEmpty();
            CacheStatistics rows =
                    engine.status().caches().stream()
                            .filter(cache -> cache.name().equals("rows"))
                            .findFirst()
                            .orElseThrow();
            assertThat(rows.hits()).as("hits of seed %s", seed).isPositive();
            assertThat(rows.evictions()).as("evictions of seed %s", seed).isPositive();
            assertThat(rows.weightBytes()).isLessThanOrEqualTo(rows.maxWeightBytes());
        }
    }

    private void run(StorageEngine engine, TestTable table, long seed) throws Exception {
        try (ExecutorService executor =
                Executors.newFixedThreadPool(5, Thread.ofPlatform().daemon().factory())) {
            List<Future<?>> others = new ArrayList<>();
            others.add(executor.submit(() -> keepFlushing(engine, table)));
            others.add(executor.submit(() -> readLatest(engine, table, seed * 10 + 1)));
            others.add(executor.submit(() -> readLatest(engine, table, seed * 10 + 2)));
            others.add(executor.submit(() -> readAtPoints(engine, table, seed * 10 + 3)));
            try {
                write(engine, table, new SplittableRandom(seed));
            } finally {
                done.set(true);
            }
            for (Future<?> other : others) {
                other.get(120, TimeUnit.SECONDS);
            }
        }
    }

    /** The amount of a row only grows; every fourth key, now and then, is deleted in between. */
    private void write(StorageEngine engine, TestTable table, SplittableRandom random) {
        for (int change = 1; change <= CHANGES; change++) {
            int id = random.nextInt(KEYS);
            if (id % 4 == 0 && random.nextBoolean()) {
                table.delete(engine, id).join();
            } else if (random.nextInt(10) == 0) {
                String transaction = engine.beginTransaction(table.id(), Optional.empty());
                WriteBatchBuilder batch = table.batch();
                batch.upsert(table.key(id), table.row(id, "in a batch", change));
                engine.stage(
                        transaction, table.shard(id), batch.toByteArray(), 0, batch.sizeBytes());
                engine.commit(transaction, List.of(), Optional.empty()).join();
            } else {
                table.upsert(engine, id, "x".repeat(random.nextInt(100)), change).join();
            }
            acknowledged.set(id, change);
        }
    }

    private Object keepFlushing(StorageEngine engine, TestTable table) {
        for (int i = 0; !done.get(); i++) {
            (i % 3 == 2 ? engine.compact(table.id()) : engine.flush(table.id())).join();
        }
        return done;
    }

    private Object readLatest(StorageEngine engine, TestTable table, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        long[] seen = new long[KEYS];
        while (!done.get()) {
            int id = Math.min(random.nextInt(KEYS), random.nextInt(KEYS)); // some are hot
            long least = Math.max(seen[id], acknowledged.get(id));
            Optional<String> found = table.get(engine, Optional.empty(), id);
            if (id % 4 == 0) {
                continue; // may be deleted: compared with scans only
            }
            long amount = found.map(TestRowCacheReads::amount).orElse(0L);
            assertThat(amount).as("key %s, seed %s", id, seed).isGreaterThanOrEqualTo(least);
            seen[id] = amount;
        }
        return done;
    }

    private Object readAtPoints(StorageEngine engine, TestTable table, long seed)
            throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        while (!done.get()) {
            LeasedSnapshot snapshot =
                    engine.openSnapshot(Optional.empty(), Duration.ofMinutes(1)).join();
            Map<Long, String> rows = table.snapshot(engine, snapshot);
            for (int i = 0; i < 100; i++) {
                table.checkLookups(engine, snapshot, random.nextInt(KEYS), rows);
            }
            engine.closeSnapshot(snapshot.id());
        }
        return done;
    }

    private static long amount(String row) {
        return Long.parseLong(row.substring(row.indexOf(':') + 1));
    }
}
