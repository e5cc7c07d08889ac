package io.stele.benchmarks.ingest;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.protocol.client.SteleClient;
import io.stele.protocol.flight.FlightClient;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Durable ingest of 1 M rows of ten columns of 100 bytes, in batches of 1,000, by 1 and by 8
 * writers, beside RocksDB with synced WriteBatches of the same rows.
 *
 * <p>Every round loads each store afresh, the order of the stores changes from round to round, and
 * after each load the rows are counted in the store. Each writer waits for the acknowledgement of a
 * batch before it makes the next, in both stores. RocksDB runs inside this process, as it is made
 * to; Stele pays for a client, a network connection and a process of its own.
 */
public final class IngestBenchmark implements Benchmark {
    private static final int BATCH_ROWS = 1_000;
    private static final double TARGET_ROWS_PER_SECOND = 150_000;
    private static final long SEED = 42;

    @Override
    public String name() {
        return "ingest";
    }

    @Override
    public String description() {
        return "durable ingest of rows of 10 x 100 B, 1 and 8 writers, beside RocksDB";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        long rows = options.quick() ? 40_000 : 1_000_000;
        int rounds = options.quick() ? 1 : 3;
        Run run = Run.load();
        String machine = Machine.describe();
        Map<String, List<IngestPhase.Result>> results = new LinkedHashMap<>();
        try (SteleServers servers = new SteleServers(run)) {
            servers.startSidecar();
            try (SteleClient client = Clients.stele(run);
                    FlightClient flight = Clients.flight(run)) {
                UserTable.createSchema(flight);
                Stores stores =
                        new Stores(
                                new UserRows(SEED),
                                servers.sidecarPid(),
                                client,
                                flight,
                                run.path("state").resolve("rocksdb"));
                // Unmeasured: a server that has run for a while has its code compiled.
                stores.round(-1, Math.min(rows, 200_000), new LinkedHashMap<>());
                for (int round = 0; round < rounds; round++) {
                    stores.round(round, rows, results);
                }
            }
        }
        return report(machine, results);
    }

    private static BenchmarkReport report(
            String machine, Map<String, List<IngestPhase.Result>> results) {
        Metrics metrics = new Metrics();
        results.forEach(
                (key, phases) -> {
                    metrics.put(
                            key + ": rows/s", median(phases, IngestPhase.Result::rowsPerSecond));
                    metrics.put(
                            key + ": batch p50 ms", median(phases, IngestPhase.Result::p50Millis));
                    metrics.put(
                            key + ": batch p99 ms", median(phases, IngestPhase.Result::p99Millis));
                    metrics.put(
                            key + ": CPU us/row",
                            median(phases, IngestPhase.Result::cpuMicrosPerRow));
                });
        List<Target> targets = new ArrayList<>();
        for (int writers : List.of(1, 8)) {
            double stele = metrics.value(key(writers, "stele row") + ": rows/s");
            double ratio = stele / metrics.value(key(writers, "rocksdb") + ": rows/s");
            metrics.put(writers + " writers: stele row, times RocksDB", ratio);
            metrics.put(
                    writers + " writers: stele column, times RocksDB",
                    metrics.value(key(writers, "stele column") + ": rows/s")
                            / metrics.value(key(writers, "rocksdb") + ": rows/s"));
            targets.add(
                    Target.atLeast(
                            writers + " writers: durable rows/s", TARGET_ROWS_PER_SECOND, stele));
            targets.add(Target.atLeast(writers + " writers: rows/s, times RocksDB", 1.0, ratio));
        }
        return new BenchmarkReport("ingest", machine, metrics.asMap(), targets);
    }

    private static double median(
            List<IngestPhase.Result> phases, ToDoubleFunction<IngestPhase.Result> value) {
        return Medians.median(phases.stream().mapToDouble(value).boxed().toList());
    }

    private static String key(int writers, String store) {
        return writers + " writers, " + store;
    }

    /** Opens each store afresh and loads it. */
    private record Stores(
            UserRows rows,
            long sidecarPid,
            SteleClient client,
            FlightClient flight,
            Path rocksDirectory) {
        void round(int round, long rowCount, Map<String, List<IngestPhase.Result>> results)
                throws Exception {
            for (int writers : List.of(1, 8)) {
                List<Opener> order =
                        new ArrayList<>(
                                List.of(
                                        this::openRocks,
                                        () -> openStele(round, writers, Orientation.ROW),
                                        () -> openStele(round, writers, Orientation.COLUMN)));
                Collections.rotate(order, Math.max(0, round));
                for (Opener opener : order) {
                    try (IngestStore store = opener.open()) {
                        IngestPhase.Result result =
                                new IngestPhase(writers, rowCount, BATCH_ROWS).run(store);
                        results.computeIfAbsent(key(writers, store.name()), _ -> new ArrayList<>())
                                .add(result);
                    }
                }
            }
        }

        private IngestStore openRocks() throws Exception {
            deleteAll(rocksDirectory);
            Files.createDirectories(rocksDirectory);
            return new RocksDbStore(rows, rocksDirectory);
        }

        private IngestStore openStele(int round, int writers, Orientation orientation) {
            String table =
                    "usertable_%d_%d_%s".formatted(round + 1, writers, orientation.ordinal());
            return new SteleStore(rows, sidecarPid, client, flight, table, orientation);
        }

        private static void deleteAll(Path directory) throws IOException {
            if (!Files.exists(directory)) {
                return;
            }
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private interface Opener {
        IngestStore open() throws Exception;
    }
}
