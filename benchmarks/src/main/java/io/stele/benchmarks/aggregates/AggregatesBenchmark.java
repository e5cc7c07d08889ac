package io.stele.benchmarks.aggregates;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TpchQueries;
import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A benchmark of TPC-H Q1 and Q6 over a column table, aggregated by Trino or by the sidecar, beside
 * Iceberg's tables in the same Trino server. The sidecar aggregates without and with its cached
 * results of files. Rounds are interleaved in an order that rotates. Results are compared.
 */
public final class AggregatesBenchmark implements Benchmark {
    private record Query(String name, String sql) {}

    private static final List<Query> QUERIES =
            List.of(new Query("q1", TpchQueries.Q1), new Query("q6", TpchQueries.Q6));

    /** The same query of a hundredth of the rows, and no query to speak of: what Trino takes. */
    private static final String SMALL_TABLE = "stele.bench.lineitem_small";

    private static final String NOTHING = "SELECT 1";

    @Override
    public String name() {
        return "aggregates";
    }

    @Override
    public String description() {
        return "TPC-H Q1 and Q6 aggregated by Trino, by the sidecar and from its results, beside Iceberg";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int warmUpRounds = options.quick() ? 1 : 8;
        int rounds = options.quick() ? 3 : 11;
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (SteleServers servers = new SteleServers(Run.load())) {
            servers.startBoth();
            Map<AggregateWay, TrinoSession> sessions = new EnumMap<>(AggregateWay.class);
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, scale);
                for (AggregateWay way : AggregateWay.values()) {
                    TrinoSession session = TrinoSession.connect(servers.trinoUri());
                    sessions.put(way, session);
                    for (String property : way.properties()) {
                        session.update("SET SESSION " + property);
                    }
                }
                compareResults(sessions);
                measure(sessions, warmUpRounds);
                measure(sessions, rounds)
                        .forEach(
                                (key, values) -> {
                                    metrics.put(key + " median ms", Medians.median(values));
                                    metrics.put(key + " min ms", Collections.min(values));
                                    metrics.put(key + " max ms", Collections.max(values));
                                });
            } finally {
                for (TrinoSession session : sessions.values()) {
                    session.close();
                }
            }
        }
        return new BenchmarkReport(
                name(), machine + ", TPC-H " + scale, metrics.asMap(), targets(metrics));
    }

    private static List<Target> targets(Metrics metrics) {
        List<Target> targets = new ArrayList<>();
        for (Query query : QUERIES) {
            double iceberg =
                    Math.min(
                            median(metrics, query, AggregateWay.ICEBERG_ORC),
                            median(metrics, query, AggregateWay.ICEBERG_PARQUET));
            double results = iceberg / median(metrics, query, AggregateWay.RESULTS);
            metrics.put(query.name() + " from results, times the better Iceberg", results);
            double anew =
                    median(metrics, query, AggregateWay.TRINO)
                            / median(metrics, query, AggregateWay.SIDECAR);
            metrics.put(query.name() + " sidecar, times Trino over the same table", anew);
            targets.add(
                    Target.atLeast(
                            query.name() + ": by the sidecar, times Trino over the same table",
                            1.0,
                            anew));
            targets.add(
                    Target.atLeast(
                            query.name() + ": from results, times the better Iceberg",
                            10.0,
                            results));
        }
        return targets;
    }

    private static double median(Metrics metrics, Query query, AggregateWay way) {
        return metrics.value(query.name() + " " + way.label() + " median ms");
    }

    private static String small(Query query) {
        return query.sql().replace("%s.lineitem", SMALL_TABLE);
    }

    private static void load(TrinoSession trino, String scale) throws SQLException {
        trino.update("CREATE SCHEMA stele.bench");
        trino.update("CREATE SCHEMA iceberg.bench");
        for (String table :
                List.of(
                        AggregateWay.RESULTS.table(),
                        AggregateWay.ICEBERG_ORC.table() + " WITH (format = 'ORC')",
                        AggregateWay.ICEBERG_PARQUET.table() + " WITH (format = 'PARQUET')")) {
            trino.update(
                    "CREATE TABLE %s AS SELECT * FROM tpch.%s.lineitem".formatted(table, scale));
        }
        trino.update("CREATE TABLE %s AS SELECT * FROM tpch.tiny.lineitem".formatted(SMALL_TABLE));
    }

    private static void compareResults(Map<AggregateWay, TrinoSession> sessions)
            throws SQLException {
        for (Query query : QUERIES) {
            List<List<Object>> expected = answer(sessions, query, AggregateWay.ICEBERG_ORC);
            for (AggregateWay way : AggregateWay.values()) {
                List<List<Object>> found = answer(sessions, query, way);
                if (!TpchQueries.agree(expected, found)) {
                    throw new IllegalStateException(
                            "Expected %s of %s to give %s, found %s"
                                    .formatted(query.name(), way.label(), expected, found));
                }
            }
        }
    }

    private static Map<String, List<Double>> measure(
            Map<AggregateWay, TrinoSession> sessions, int rounds) throws SQLException {
        Map<String, List<Double>> millis = new LinkedHashMap<>();
        List<AggregateWay> order = new ArrayList<>(List.of(AggregateWay.values()));
        for (int round = 0; round < rounds; round++) {
            for (Query query : QUERIES) {
                for (AggregateWay way : order) {
                    add(
                            millis,
                            query.name() + " " + way.label(),
                            sessions.get(way),
                            sql(query, way));
                }
                TrinoSession ours = sessions.get(AggregateWay.RESULTS);
                add(millis, query.name() + " results of a hundredth", ours, small(query));
                add(
                        millis,
                        query.name() + " explain",
                        ours,
                        "EXPLAIN " + sql(query, AggregateWay.RESULTS));
            }
            add(millis, NOTHING, sessions.get(AggregateWay.RESULTS), NOTHING);
            Collections.rotate(order, 1);
        }
        return millis;
    }

    private static List<List<Object>> answer(
            Map<AggregateWay, TrinoSession> sessions, Query query, AggregateWay way)
            throws SQLException {
        return requireNonNull(sessions.get(way), "no session").query(sql(query, way));
    }

    private static String sql(Query query, AggregateWay way) {
        return query.sql().replace("%s.lineitem", way.table());
    }

    private static void add(
            Map<String, List<Double>> millis,
            String name,
            @Nullable TrinoSession session,
            String sql)
            throws SQLException {
        long start = System.nanoTime();
        requireNonNull(session, "no session").query(sql);
        millis.computeIfAbsent(name, _ -> new ArrayList<>()).add((System.nanoTime() - start) / 1e6);
    }
}
