package io.stele.benchmarks.s3keys;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.OrderKeys;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.RequestSpan;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * A benchmark of orders read and replaced by key through Trino on S3 with its latency, in Stele's
 * column and row tables and in Iceberg. Queries read one order or twenty; a statement replaces
 * 2,500 orders. Iceberg has no cache; all have their defaults.
 *
 * <p>Cold means that the sidecar was started just before; before the measurement, a query of a row
 * in its log opens the connections. Then other keys are queried, when the metadata and indexes are
 * in memory. Of each query the reads are counted, and how many of them came one after the other.
 */
public final class S3KeysBenchmark implements Benchmark {
    private static final String CHANGES = "memory.default.s3_keys_changes_";
    private static final int KEYS = 20;

    /** Every 601st order, 2,496 of 1.5 million; others in each round, since those are in memory. */
    private static final int CHANGED = 601;

    @Override
    public String name() {
        return "s3-keys";
    }

    @Override
    public String description() {
        return "one key, twenty and 2,500 written ones through Trino from S3 with its latency, cold and again, beside Iceberg";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int rounds = options.quick() ? 1 : options.only().isPresent() ? 2 : 7;
        List<KeyTable> tables =
                Arrays.stream(KeyTable.values())
                        .filter(table -> table.label().contains(options.only().orElse("")))
                        .toList();
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            catalogs.configureSidecar();
            catalogs.write("stele", catalogs.stele());
            catalogs.write("iceberg", catalogs.iceberg());
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                Queries queries =
                        new Queries(
                                servers,
                                trino,
                                proxy,
                                tables,
                                load(trino, catalogs, tables, scale, rounds),
                                run.path("state").resolve("log").resolve("requests.tsv"));
                queries.round(new Measured(), OptionalInt.empty()); // compiles what is used
                // In order, by which it has the cache of classes that an installation has
                servers.restartSidecar();
                proxy.newRound(InjectedDelays.S3);
                Measured measured = new Measured();
                for (int round = 0; round < rounds; round++) {
                    queries.round(measured, OptionalInt.of(round));
                }
                measured.report(metrics);
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", TPC-H " + scale + " orders, reads of 30 ms + 20 ms/MiB",
                metrics.asMap(),
                options.only().isPresent() ? List.of() : targets(metrics));
    }

    /**
     * Of upserts the first round counts: later starts replay those before, and have the indexes of
     * keys in memory by that.
     */
    private static List<Target> targets(Metrics metrics) {
        return List.of(
                atMost(metrics, "column 1 key cold", "ms", 120),
                atMost(metrics, "column 1 key cold", "requests", 3),
                atMost(metrics, "column 1 key again", "ms", 60),
                atMost(metrics, "column 20 keys cold", "ms", 200),
                atMost(metrics, "row 20 keys cold", "ms", 120),
                atMost(metrics, "column upsert cold", "ms, first round", 1_000),
                Target.atMost(
                        "column upsert cold: ms, times Iceberg's MERGE",
                        1.0,
                        metrics.value("column upsert cold: ms, first round")
                                / metrics.value("iceberg upsert cold: ms, first round")),
                atMost(metrics, "restart after SIGKILL", "ms", 2_000));
    }

    private static Target atMost(Metrics metrics, String what, String unit, double target) {
        String name = what + ": " + unit;
        return Target.atMost(name, target, metrics.value(name));
    }

    private static List<Long> load(
            TrinoSession trino,
            S3Catalogs catalogs,
            List<KeyTable> tables,
            String scale,
            int rounds)
            throws SQLException {
        trino.update("CREATE SCHEMA stele." + KeyTable.SCHEMA);
        trino.update(
                "CREATE SCHEMA iceberg.%s WITH (location = '%s')"
                        .formatted(KeyTable.SCHEMA, catalogs.icebergLocation(KeyTable.SCHEMA)));
        for (KeyTable table : tables) {
            trino.update(
                    "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.orders"
                            .formatted(table.qualifiedName(), table.properties(), scale));
            if (table.isStele()) {
                String[] name = table.qualifiedName().split("\\.");
                trino.update("CALL stele.system.flush('%s', '%s')".formatted(name[1], name[2]));
            }
        }
        trino.update(
                "CREATE TABLE stele.%s.touched (k bigint, v bigint) WITH (primary_key = ARRAY['k'], orientation = 'row')"
                        .formatted(KeyTable.SCHEMA));
        trino.update("INSERT INTO stele.%s.touched VALUES (1, 1)".formatted(KeyTable.SCHEMA));
        for (int round = 0; round < rounds; round++) {
            trino.update(
                    "CREATE TABLE %s AS SELECT * FROM tpch.%s.orders WHERE o_orderkey %% %d = %d"
                            .formatted(CHANGES + round, scale, CHANGED, round));
        }
        return OrderKeys.some(trino, scale);
    }

    /** The measurements, one value per round. */
    private static final class Measured {
        private final Map<String, List<Double>> values = new LinkedHashMap<>();

        void add(String name, double value) {
            values.computeIfAbsent(name, _ -> new ArrayList<>()).add(value);
        }

        void report(Metrics metrics) {
            values.forEach(
                    (name, found) -> {
                        metrics.put(name, Medians.median(found));
                        metrics.put(name + ", first round", found.getFirst());
                    });
        }
    }

    /** Queries all tables in turn. Confined to one thread. */
    private static final class Queries {
        private final SteleServers servers;
        private final TrinoSession trino;
        private final DelayingS3Proxy proxy;
        private final List<KeyTable> tables;
        private final List<Long> keys;
        private final Path requests;
        private final SplittableRandom random = new SplittableRandom(42);

        Queries(
                SteleServers servers,
                TrinoSession trino,
                DelayingS3Proxy proxy,
                List<KeyTable> tables,
                List<Long> keys,
                Path requests) {
            this.servers = servers;
            this.trino = trino;
            this.proxy = proxy;
            this.tables = tables;
            this.keys = keys;
            this.requests = requests;
        }

        void round(Measured measured, OptionalInt changes)
                throws SQLException, IOException, InterruptedException {
            for (int count : new int[] {1, KEYS}) {
                restart(measured);
                String what = count == 1 ? " 1 key" : " " + count + " keys";
                for (String when : List.of(" cold", " again", " once more")) {
                    List<Long> wanted = some(count);
                    List<List<Object>> expected = List.of();
                    for (KeyTable table : tables) {
                        List<List<Object>> found =
                                timed(
                                        measured,
                                        table.label() + what + when,
                                        () -> trino.query(table.query(wanted)));
                        found.sort(
                                Comparator.comparing(row -> ((Number) row.getFirst()).longValue()));
                        if (found.size() != count
                                || !(expected.isEmpty() || expected.equals(found))) {
                            throw new IllegalStateException(
                                    "Expected orders %s of %s to be %s, found %s"
                                            .formatted(wanted, table.label(), expected, found));
                        }
                        expected = found;
                    }
                }
            }
            if (changes.isPresent()) {
                String changed = CHANGES + changes.getAsInt();
                restart(measured);
                for (KeyTable table : tables) {
                    timed(
                            measured,
                            table.label() + " upsert cold",
                            () -> List.of(List.of(trino.update(table.upsert(changed)))));
                }
            }
        }

        private void restart(Measured measured)
                throws SQLException, IOException, InterruptedException {
            servers.killSidecar();
            timed(
                    measured,
                    "restart after SIGKILL",
                    () -> {
                        servers.startSidecar();
                        return List.of();
                    });
            trino.query("SELECT v FROM stele.%s.touched WHERE k = 1".formatted(KeyTable.SCHEMA));
            trino.query("SELECT 1");
        }

        private List<Long> some(int count) {
            TreeSet<Long> some = new TreeSet<>();
            while (some.size() < count) {
                some.add(keys.get(random.nextInt(keys.size())));
            }
            return List.copyOf(some);
        }

        private interface Work {
            List<List<Object>> run() throws SQLException, IOException, InterruptedException;
        }

        private List<List<Object>> timed(Measured measured, String what, Work work)
                throws SQLException, IOException, InterruptedException {
            proxy.takeSpans(); // those of what reads in the background
            long start = System.nanoTime();
            List<List<Object>> found = new ArrayList<>(work.run());
            measured.add(what + ": ms", (System.nanoTime() - start) / 1e6);
            List<RequestSpan> reads =
                    proxy.takeSpans().stream().filter(RequestSpan::isRead).toList();
            measured.add(what + ": requests", reads.size());
            measured.add(what + ": rounds", RequestSpan.rounds(reads));
            trace(what, start, reads);
            return found;
        }

        /** One line a read: of what, from when to when (ms), of which object and bytes. */
        private void trace(String what, long start, List<RequestSpan> reads) throws IOException {
            StringBuilder lines = new StringBuilder();
            for (RequestSpan read : reads) {
                lines.append(
                        "%s\t%.1f\t%.1f\t%s\t%s%n"
                                .formatted(
                                        what,
                                        (read.startNanos() - start) / 1e6,
                                        (read.endNanos() - start) / 1e6,
                                        read.target(),
                                        read.range()));
            }
            Files.writeString(
                    requests, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }
}
