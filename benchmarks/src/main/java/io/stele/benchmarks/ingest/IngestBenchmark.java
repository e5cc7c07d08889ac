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
import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
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
 * A benchmark of durable ingest of 1 M rows in batches of 1,000, beside RocksDB with synced
 * WriteBatches of the same rows. Rows have ten columns of 100 bytes. The writers are one thread
 * with a few batches in flight, one thread that waits for each acknowledgement, and eight such
 * threads.
 *
 * <p>Every round loads each store afresh, the order of the stores changes from round to round, and
 * after each load the rows are counted in the store. RocksDB runs inside this process, as it is
 * made to, and its threads wait for each batch, as its calls do; Stele pays for a client, a network
 * connection and a process of its own.
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
        List<IngestCase> cases =
                IngestCase.ALL.stream()
                        .filter(one -> one.name().contains(options.only().orElse("")))
                        .toList();
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
                stores.round(cases, -1, Math.min(rows, 200_000), new LinkedHashMap<>());
                for (int round = 0; round < rounds; round++) {
                    stores.round(cases, round, rows, results);
                }
            }
        }
        return report(machine, cases, results);
    }

    private static BenchmarkReport report(
            String machine, List<IngestCase> cases, Map<String, List<IngestPhase.Result>> results) {
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
        for (IngestCase one : cases) {
            for (String store : List.of("stele row", "stele column")) {
                String name = key(one.name(), store);
                double rate = metrics.value(name + ": rows/s");
                targets.add(
                        Target.atLeast(name + ": durable rows/s", TARGET_ROWS_PER_SECOND, rate));
                String rocks = key(one.rocksDbName(), "rocksdb");
                if (results.containsKey(rocks)) {
                    targets.add(
                            Target.atLeast(
                                    name + ": rows/s, times RocksDB",
                                    1.0,
                                    rate / metrics.value(rocks + ": rows/s")));
                }
            }
        }
        return new BenchmarkReport("ingest", machine, metrics.asMap(), targets);
    }

    private static double median(
            List<IngestPhase.Result> phases, ToDoubleFunction<IngestPhase.Result> value) {
        return Medians.median(phases.stream().mapToDouble(value).boxed().toList());
    }

    private static String key(String name, String store) {
        return name + ", " + store;
    }

    /** Opens each store afresh and loads it. */
    private record Stores(
            UserRows rows,
            long sidecarPid,
            SteleClient client,
            FlightClient flight,
            Path rocksDirectory) {
        void round(
                List<IngestCase> cases,
                int round,
                long rowCount,
                Map<String, List<IngestPhase.Result>> results)
                throws Exception {
            for (IngestCase one : cases) {
                for (Opener opener : order(one, round)) {
                    try (IngestStore store = opener.open()) {
                        IngestPhase.Result result =
                                new IngestPhase(one.writers(), one.inFlight(), rowCount, BATCH_ROWS)
                                        .run(store);
                        results.computeIfAbsent(
                                        key(one.name(), store.name()), _ -> new ArrayList<>())
                                .add(result);
                    }
                }
            }
        }

        private List<Opener> order(IngestCase one, int round) {
            List<Opener> order = new ArrayList<>();
            if (one.runsRocksDb()) {
                order.add(this::openRocks);
            }
            order.add(() -> openStele(round, one, Orientation.ROW));
            order.add(() -> openStele(round, one, Orientation.COLUMN));
            Collections.rotate(order, Math.max(0, round));
            return order;
        }

        private IngestStore openRocks() throws Exception {
            deleteAll(rocksDirectory);
            Files.createDirectories(rocksDirectory);
            return new RocksDbStore(rows, rocksDirectory);
        }

        private IngestStore openStele(int round, IngestCase one, Orientation orientation) {
            String table =
                    "usertable_%d_%d_%d_%d"
                            .formatted(
                                    round + 1,
                                    one.writers(),
                                    one.inFlight(),
                                    orientation.ordinal());
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
