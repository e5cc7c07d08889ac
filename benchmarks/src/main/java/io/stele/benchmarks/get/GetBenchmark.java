package io.stele.benchmarks.get;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.servers.Run;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * A benchmark of uniformly random point reads in Stele's engine and RocksDB, both inside this
 * process, one key a call, by 1 and 2 threads. Rows of 10 x 100 B out of 1 M are read from the
 * memtable, after a flush with everything in the block cache, and also with a warm row cache.
 *
 * <p>Rounds take the stores in turns, and the turn rotates. Before each phase a sample of rows is
 * compared byte by byte; a row that is not found ends the benchmark. As information the same
 * lookups end to end, through the client and the framed protocol.
 */
public final class GetBenchmark implements Benchmark {
    private static final long SEED = 42;
    private static final double TARGET_FLUSHED = 0.7;
    private static final double TARGET_CACHED = 1.0;
    private static final String MEMTABLE = "memtable";
    private static final String FLUSHED = "flushed";
    private static final String CACHED = "row cache";
    private static final String STELE = "stele";
    private static final String ROCKSDB = "rocksdb";
    private static final String ROCKSDB_ROWS = "rocksdb with row cache";
    private static final int SAMPLE = 1_000;

    /** More than the rows, for both: nothing is evicted. */
    private static final long CACHE_BYTES = 2L << 30;

    @Override
    public String name() {
        return "get";
    }

    @Override
    public String description() {
        return "point reads of 10 x 100 B from memory and after flush, beside RocksDB";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        int rows = options.quick() ? 20_000 : 1_000_000;
        int rounds = options.quick() ? 1 : 5;
        Duration duration = Duration.ofMillis(options.quick() ? 300 : 2_000);
        Run run = Run.load();
        String machine = Machine.describe();
        UserRows content = new UserRows(SEED);
        Metrics metrics = new Metrics();
        Rounds measured = new Rounds(rows, rounds, duration, content, metrics);
        Stores stores = new Stores(content, run.path("state").resolve("get"), rows);
        try (LookupStore rocks = stores.openRocks(0)) {
            try (LookupStore stele = stores.openStele(0)) {
                List<LookupStore> both = List.of(stele, rocks);
                for (LookupStore store : both) {
                    store.load(rows);
                }
                measured.run(MEMTABLE, both);
                for (LookupStore store : both) {
                    store.flush();
                }
                measured.run(FLUSHED, both);
            }
            try (LookupStore stele = stores.openStele(CACHE_BYTES);
                    LookupStore rocksCached = stores.openRocks(CACHE_BYTES)) {
                measured.run(CACHED, List.of(stele, rocks, rocksCached));
            }
        }
        List<Target> targets = new ArrayList<>();
        for (int threads : Rounds.THREADS) {
            measured.ratio(MEMTABLE, threads, STELE, ROCKSDB);
            double flushed = measured.ratio(FLUSHED, threads, STELE, ROCKSDB);
            double cached = measured.ratio(CACHED, threads, STELE, ROCKSDB);
            measured.ratio(CACHED, threads, STELE, ROCKSDB_ROWS);
            targets.add(
                    Target.atLeast(
                            threads + " threads, flushed and warm: gets/s, times RocksDB",
                            TARGET_FLUSHED,
                            flushed));
            targets.add(
                    Target.atLeast(
                            threads + " threads, row cache: gets/s, times RocksDB flushed and warm",
                            TARGET_CACHED,
                            cached));
        }
        int clientRows = options.quick() ? 20_000 : 200_000; // fits the caches of etc/
        new ClientLookups(run, content, clientRows, duration).run(metrics);
        return new BenchmarkReport("get", machine, metrics.asMap(), targets);
    }

    static void put(Metrics metrics, String key, List<LookupPhase.Result> results) {
        metrics.put(key + ": gets/s", median(results, LookupPhase.Result::keysPerSecond));
        metrics.put(key + ": p50 us", median(results, LookupPhase.Result::p50Micros));
        metrics.put(key + ": p99 us", median(results, LookupPhase.Result::p99Micros));
        metrics.put(key + ": CPU us/get", median(results, LookupPhase.Result::cpuMicrosPerKey));
    }

    static void check(Object expected, Object found, String where) {
        if (!expected.equals(found)) {
            throw new IllegalStateException(
                    "Expected %s in %s, found %s".formatted(expected, where, found));
        }
    }

    private static double median(
            List<LookupPhase.Result> results, ToDoubleFunction<LookupPhase.Result> value) {
        return Medians.median(results.stream().mapToDouble(value).boxed().toList());
    }

    /** Opens stores on the same rows. */
    private record Stores(UserRows content, Path directory, int rows) {
        LookupStore openStele(long rowCacheBytes) throws Exception {
            return new EngineStore(
                    STELE, content, directory.resolve("stele"), rows, CACHE_BYTES, rowCacheBytes);
        }

        /**
         * @param rowCacheBytes above 0: a second, reading instance
         */
        LookupStore openRocks(long rowCacheBytes) throws Exception {
            return new RocksLookupStore(
                    rowCacheBytes == 0 ? ROCKSDB : ROCKSDB_ROWS,
                    content,
                    directory.resolve("rocksdb"),
                    rows,
                    CACHE_BYTES,
                    rowCacheBytes);
        }
    }

    /** Measures stores in turns. */
    private record Rounds(
            int rows, int rounds, Duration duration, UserRows content, Metrics metrics) {
        private static final List<Integer> THREADS = List.of(1, 2);

        void run(String where, List<LookupStore> stores) throws Exception {
            for (LookupStore store : stores) {
                warm(store);
            }
            System.gc(); // what the load left behind
            Map<String, List<LookupPhase.Result>> results = new LinkedHashMap<>();
            for (int round = -1; round < rounds; round++) {
                List<LookupStore> order = new ArrayList<>(stores);
                Collections.rotate(order, round);
                for (int threads : THREADS) {
                    for (LookupStore store : order) {
                        LookupPhase.Result result = phase(threads, store, round);
                        if (round >= 0) {
                            results.computeIfAbsent(
                                            key(where, threads, store.name()),
                                            _ -> new ArrayList<>())
                                    .add(result);
                        } // else it compiled the code
                    }
                }
            }
            results.forEach((key, all) -> put(metrics, key, all));
        }

        private LookupPhase.Result phase(int threads, LookupStore store, int round)
                throws Exception {
            return new LookupPhase(threads, rows, 1, duration)
                    .run(numbers -> store.get(numbers[0]), () -> 0, SEED + round);
        }

        /** Reads every row once, so that caches have it, and compares a sample. */
        private void warm(LookupStore store) throws Exception {
            for (int number = 0; number < rows; number++) {
                store.get(number);
            }
            SplittableRandom random = new SplittableRandom(SEED);
            for (int i = 0; i < SAMPLE; i++) {
                int number = random.nextInt(rows);
                if (!Arrays.equals(content.bytes(number), store.fields(number))) {
                    throw new IllegalStateException(
                            "Expected the ten fields of row %d in %s, found others"
                                    .formatted(number, store.name()));
                }
            }
        }

        double ratio(String where, int threads, String store, String peer) {
            double ratio =
                    metrics.value(key(where, threads, store) + ": gets/s")
                            / metrics.value(key(where, threads, peer) + ": gets/s");
            metrics.put(
                    "%s, %d threads: %s, times %s".formatted(where, threads, store, peer), ratio);
            return ratio;
        }

        private static String key(String where, int threads, String store) {
            return "%s, %d threads, %s".formatted(where, threads, store);
        }
    }
}
