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
import io.stele.benchmarks.servers.SidecarCounters;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A benchmark of the lookup of one row by its key through Trino, in Stele and in Iceberg, beside
 * {@code SELECT 1}, which shows Trino's own cost.
 *
 * <p>One connection queries each table in turn, in an order that rotates, for a random existing
 * order; results are compared. The sidecar counts the requests of a query.
 */
public final class LookupSqlBenchmark implements Benchmark {
    private static final String FLOOR = "SELECT 1";

    @Override
    public String name() {
        return "lookup-sql";
    }

    @Override
    public String description() {
        return "SELECT of one row by key through Trino, beside SELECT 1 and Iceberg in the same server";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int warmUpRounds = options.quick() ? 5 : 150;
        int rounds = options.quick() ? 10 : 250;
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (SteleServers servers = new SteleServers(run);
                SidecarCounters counters = new SidecarCounters(run)) {
            servers.startBoth();
            try (Connections connections = new Connections(servers)) {
                List<Long> keys = load(connections.plain(), scale);
                SplittableRandom random = new SplittableRandom(42);
                ask(connections, keys, random, warmUpRounds, new Metrics());
                ask(connections, keys, random, rounds, metrics);
                for (LookupTable table : LookupTable.values()) {
                    if (table.qualifiedName().startsWith("stele.")) {
                        count(connections.of(table), table, keys, counters, metrics);
                    }
                }
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", TPC-H " + scale + " orders",
                metrics.asMap(),
                List.of(
                        target(metrics, LookupTable.STELE_COLUMN),
                        target(metrics, LookupTable.STELE_ROW)));
    }

    private static Target target(Metrics metrics, LookupTable table) {
        return Target.atMost(
                table.label() + ": p50, times SELECT 1",
                1.5,
                metrics.value(table.label() + " p50, times SELECT 1"));
    }

    private static List<Long> load(TrinoSession trino, String scale) throws SQLException {
        trino.update("CREATE SCHEMA stele." + LookupTable.SCHEMA);
        trino.update("CREATE SCHEMA iceberg." + LookupTable.SCHEMA);
        for (LookupTable table : LookupTable.values()) {
            if (table.isLoaded()) {
                trino.update(
                        "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.orders"
                                .formatted(table.qualifiedName(), table.properties(), scale));
            }
        }
        for (LookupTable table : List.of(LookupTable.STELE_COLUMN, LookupTable.STELE_ROW)) {
            String[] name = table.qualifiedName().split("\\.");
            trino.update("CALL stele.system.flush('%s', '%s')".formatted(name[1], name[2]));
        }
        return OrderKeys.some(trino, scale);
    }

    private static void ask(
            Connections connections,
            List<Long> keys,
            SplittableRandom random,
            int rounds,
            Metrics metrics)
            throws SQLException {
        Latencies floor = new Latencies();
        Map<LookupTable, Latencies> latencies = new EnumMap<>(LookupTable.class);
        List<LookupTable> order = new ArrayList<>(List.of(LookupTable.values()));
        order.forEach(table -> latencies.put(table, new Latencies()));
        for (int round = 0; round < rounds; round++) {
            connections.plain().timed(FLOOR, floor);
            long key = keys.get(random.nextInt(keys.size()));
            List<List<Object>> expected = List.of();
            for (LookupTable table : order) {
                List<List<Object>> found =
                        connections
                                .of(table)
                                .timed(table.query(key), requireNonNull(latencies.get(table)));
                if (found.size() != 1 || !(expected.isEmpty() || expected.equals(found))) {
                    throw new IllegalStateException(
                            "Expected the order %d of %s to be %s, found %s"
                                    .formatted(key, table.label(), expected, found));
                }
                expected = found;
            }
            Collections.rotate(order, 1);
        }
        report("select_1", floor, metrics);
        for (LookupTable table : LookupTable.values()) {
            report(table.label(), requireNonNull(latencies.get(table)), metrics);
            metrics.put(
                    table.label() + " p50, times SELECT 1",
                    requireNonNull(latencies.get(table)).millis(50) / floor.millis(50));
        }
    }

    private static void report(String label, Latencies latencies, Metrics metrics) {
        metrics.put(label + " p50 ms", latencies.millis(50));
        metrics.put(label + " p99 ms", latencies.millis(99));
    }

    /** Counts the requests of a query to the sidecar, with those that release snapshots. */
    private static void count(
            TrinoSession trino,
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
                table.label() + " actions a query",
                (counters.actions() - actions) / (double) queries);
        metrics.put(
                table.label() + " streams a query",
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
