package io.stele.benchmarks.lookupsql;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.OrderKeys;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SidecarCounters;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * A benchmark of the lookup of one row by its key through Trino, in Stele and in Iceberg, beside
 * {@code SELECT 1}, which shows Trino's own cost. First the warehouses are in folders, then on S3
 * with its latency, where Iceberg has {@code fs.cache}; all have their defaults. {@code s3-keys}
 * has cold lookups.
 *
 * <p>One connection queries each table in turn, in an order that rotates, for a random existing
 * order; results are compared. The sidecar counts the requests of a query.
 */
public final class LookupSqlBenchmark implements Benchmark {
    private static final String FLOOR = "SELECT 1";
    private static final String LOCAL = "local";
    private static final String ON_S3 = "s3";

    @Override
    public String name() {
        return "lookup-sql";
    }

    @Override
    public String description() {
        return "SELECT of one row by key through Trino, in folders and on S3 with its latency, beside SELECT 1 and Iceberg in the same server; --only takes local or s3";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Run run = Run.load();
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        String machine = Machine.describe();
        String only = options.only().orElse("");
        if (LOCAL.contains(only)) {
            measure(run, LOCAL, "", () -> 0, options, metrics);
            for (LookupTable table : List.of(LookupTable.STELE_COLUMN, LookupTable.STELE_ROW)) {
                String name = metric(LOCAL, table, "p50, times SELECT 1");
                targets.add(Target.atMost(name, 1.5, metrics.value(name)));
            }
        }
        if (ON_S3.contains(only)) {
            try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                    DelayingS3Proxy proxy =
                            DelayingS3Proxy.start(gateway.port(), InjectedDelays.S3)) {
                S3Catalogs catalogs =
                        new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
                // The other log is of the warehouse in a folder
                catalogs.configureSidecar(
                        Map.of("stele.wal.path", run.value("sidecar.wal") + "-s3"));
                catalogs.write("stele", catalogs.stele());
                catalogs.write("iceberg", catalogs.cachedIceberg("iceberg"));
                String location =
                        " WITH (location = '%s')"
                                .formatted(catalogs.icebergLocation(LookupTable.SCHEMA));
                measure(run, ON_S3, location, proxy::reads, options, metrics);
            }
            for (LookupTable table : List.of(LookupTable.STELE_COLUMN, LookupTable.STELE_ROW)) {
                String name = metric(ON_S3, table, "p50 ms");
                targets.add(Target.atMost(name, 60, metrics.value(name)));
            }
        }
        return new BenchmarkReport(name(), machine + ", TPC-H orders", metrics.asMap(), targets);
    }

    /**
     * @param where in names of metrics
     * @param icebergSchema clauses of the CREATE SCHEMA of Iceberg
     * @param requestCount of requests to the store so far
     */
    private static void measure(
            Run run,
            String where,
            String icebergSchema,
            LongSupplier requestCount,
            BenchmarkOptions options,
            Metrics metrics)
            throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int warmUpRounds = options.quick() ? 5 : 150;
        int rounds = options.quick() ? 10 : 250;
        try (SteleServers servers = new SteleServers(run);
                SidecarCounters counters = new SidecarCounters(run)) {
            servers.startBoth();
            try (Connections connections = new Connections(servers)) {
                List<Long> keys = load(connections.plain(), icebergSchema, scale);
                SplittableRandom random = new SplittableRandom(42);
                Asking asking = new Asking(connections, where, keys, requestCount);
                asking.ask(random, warmUpRounds, new Metrics());
                asking.ask(random, rounds, metrics);
                for (LookupTable table : LookupTable.values()) {
                    if (table.qualifiedName().startsWith("stele.")) {
                        count(connections.of(table), where, table, keys, counters, metrics);
                    }
                }
            }
        }
    }

    private static String metric(String where, LookupTable table, String what) {
        return "%s %s: %s".formatted(where, table.label(), what);
    }

    private static List<Long> load(TrinoSession trino, String icebergSchema, String scale)
            throws SQLException {
        trino.update("CREATE SCHEMA stele." + LookupTable.SCHEMA);
        trino.update("CREATE SCHEMA iceberg." + LookupTable.SCHEMA + icebergSchema);
        for (LookupTable table : LookupTable.values()) {
            if (table.isLoaded()) {
                trino.update(
                        "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.orders"
                                .formatted(table.qualifiedName(), table.properties(), scale));
            }
        }
        for (LookupTable table : List.of(LookupTable.STELE_COLUMN, LookupTable.STELE_ROW)) {
            trino.flush(table.qualifiedName());
        }
        return OrderKeys.some(trino, scale);
    }

    /** Queries of all tables in turn. Confined to one thread. */
    private record Asking(
            Connections connections, String where, List<Long> keys, LongSupplier requestCount) {
        void ask(SplittableRandom random, int rounds, Metrics metrics) throws SQLException {
            Latencies floor = new Latencies();
            Map<LookupTable, Latencies> latencies = new EnumMap<>(LookupTable.class);
            Map<LookupTable, Long> requests = new EnumMap<>(LookupTable.class);
            List<LookupTable> order = new ArrayList<>(List.of(LookupTable.values()));
            order.forEach(table -> latencies.put(table, new Latencies()));
            for (int round = 0; round < rounds; round++) {
                connections.plain().timed(FLOOR, floor);
                long key = keys.get(random.nextInt(keys.size()));
                List<List<Object>> expected = List.of();
                for (LookupTable table : order) {
                    long before = requestCount.getAsLong();
                    List<List<Object>> found =
                            connections
                                    .of(table)
                                    .timed(table.query(key), requireNonNull(latencies.get(table)));
                    requests.merge(table, requestCount.getAsLong() - before, Long::sum);
                    if (found.size() != 1 || !(expected.isEmpty() || expected.equals(found))) {
                        throw new IllegalStateException(
                                "Expected the order %d of %s to be %s, found %s"
                                        .formatted(key, table.label(), expected, found));
                    }
                    expected = found;
                }
                Collections.rotate(order, 1);
            }
            report(where + " select_1: ", floor, metrics);
            for (LookupTable table : LookupTable.values()) {
                Latencies found = requireNonNull(latencies.get(table));
                report(metric(where, table, ""), found, metrics);
                metrics.put(
                        metric(where, table, "p50, times SELECT 1"),
                        found.millis(50) / floor.millis(50));
                metrics.put(
                        metric(where, table, "requests to the store a query"),
                        requests.getOrDefault(table, 0L) / (double) rounds);
            }
        }
    }

    private static void report(String label, Latencies latencies, Metrics metrics) {
        metrics.put(label + "p50 ms", latencies.millis(50));
        metrics.put(label + "p99 ms", latencies.millis(99));
    }

    /** Counts the requests of a query to the sidecar, with those that release snapshots. */
    private static void count(
            TrinoSession trino,
            String where,
            LookupTable table,
            List<Long> keys,
            SidecarCounters counters,
            Metrics metrics)
            throws SQLException, IOException, InterruptedException {
        int queries = 50;
        long actions = counters.actions();
        long streams = counters.streams();
        for (int query = 0; query < queries; query++) {
            trino.query(table.query(keys.get(query)));
        }
        metrics.put(
                metric(where, table, "actions a query"),
                (counters.actions() - actions) / (double) queries);
        metrics.put(
                metric(where, table, "streams a query"),
                (counters.streams() - streams) / (double) queries);
    }

    /** A connection for each table, since sessions differ. Confined to one thread. */
    private static final class Connections implements AutoCloseable {
        private final Map<LookupTable, TrinoSession> sessions = new EnumMap<>(LookupTable.class);

        Connections(SteleServers servers) throws SQLException {
            for (LookupTable table : LookupTable.values()) {
                TrinoSession session = TrinoSession.connect(servers.trinoUri());
                sessions.put(table, session);
                if (!table.session().isEmpty()) {
                    session.update(table.session());
                }
            }
        }

        TrinoSession of(LookupTable table) {
            TrinoSession session = sessions.get(table);
            if (session == null) {
                throw new IllegalStateException("Expected a connection for " + table);
            }
            return session;
        }

        TrinoSession plain() {
            return of(LookupTable.STELE_COLUMN);
        }

        @Override
        public void close() throws SQLException {
            for (TrinoSession session : sessions.values()) {
                session.close();
            }
        }
    }
}
