package io.stele.benchmarks.scan;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A benchmark of TPC-H Q1 and Q6 over lineitem in Stele and in Iceberg (ORC and Parquet), in one
 * Trino server.
 *
 * <p>All tables are loaded by CREATE TABLE AS from the same generator with their connectors'
 * defaults. The rounds are interleaved: in each, every table answers every query once, in an order
 * that rotates, so that a slow moment of the machine hits all alike. Results are compared.
 */
public final class ScanBenchmark implements Benchmark {
    private record Query(String name, String sql) {}

    private static final List<Query> QUERIES =
            List.of(new Query("q1", TpchQueries.Q1), new Query("q6", TpchQueries.Q6));

    @Override
    public String name() {
        return "scan";
    }

    @Override
    public String description() {
        return "TPC-H Q1 and Q6 through Trino, beside Iceberg (ORC, Parquet) in the same server";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int warmUpRounds = options.quick() ? 1 : 15;
        int rounds = options.quick() ? 3 : 15;
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (SteleServers servers = new SteleServers(Run.load())) {
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                // Otherwise the sidecar would aggregate without a scan, and workers would cache
                // filtered rows
                trino.update("SET SESSION stele.aggregation_pushdown_enabled = false");
                trino.update("SET SESSION stele.fragment_cache_enabled = false");
                trino.update("SET SESSION stele_uncached.aggregation_pushdown_enabled = false");
                trino.update("SET SESSION stele_uncached.fragment_cache_enabled = false");
                load(trino, scale, metrics);
                compareResults(trino);
                measure(trino, warmUpRounds);
                Map<String, List<Double>> millis = measure(trino, rounds);
                millis.forEach(
                        (key, values) -> {
                            metrics.put(key + " median ms", Medians.median(values));
                            metrics.put(key + " min ms", Collections.min(values));
                            metrics.put(key + " max ms", Collections.max(values));
                        });
            }
        }
        return new BenchmarkReport(
                name(), machine + ", TPC-H " + scale, metrics.asMap(), targets(metrics));
    }

    private static List<Target> targets(Metrics metrics) {
        List<Target> targets = new ArrayList<>();
        for (String query : List.of("q1", "q6")) {
            double iceberg =
                    Math.min(
                            metrics.value(query + " iceberg_orc median ms"),
                            metrics.value(query + " iceberg_parquet median ms"));
            double ratio = iceberg / metrics.value(query + " stele median ms");
            metrics.put(query + " speed, times the better Iceberg", ratio);
            metrics.put(
                    query + " speed without column cache, times the better Iceberg",
                    iceberg / metrics.value(query + " stele_uncached median ms"));
            targets.add(Target.atLeast(query + ": speed, times the better Iceberg", 1.0, ratio));
        }
        return targets;
    }

    private static void load(TrinoSession trino, String scale, Metrics metrics)
            throws SQLException {
        trino.update("CREATE SCHEMA stele.bench");
        trino.update("CREATE SCHEMA iceberg.bench");
        for (ScanTable table : ScanTable.values()) {
            if (!table.isLoaded()) {
                continue;
            }
            long start = System.nanoTime();
            trino.update(
                    "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.lineitem"
                            .formatted(table.qualifiedName(), table.properties(), scale));
            metrics.put("load " + table.label() + " s", (System.nanoTime() - start) / 1e9);
        }
    }

    private static void compareResults(TrinoSession trino) throws SQLException {
        for (Query query : QUERIES) {
            List<List<Object>> expected = trino.query(sql(query.sql(), ScanTable.ICEBERG_ORC));
            for (ScanTable table : ScanTable.values()) {
                List<List<Object>> found = trino.query(sql(query.sql(), table));
                if (!TpchQueries.agree(expected, found)) {
                    throw new IllegalStateException(
                            "Expected %s of %s to give %s, found %s"
                                    .formatted(query.name(), table.label(), expected, found));
                }
            }
        }
    }

    private static Map<String, List<Double>> measure(TrinoSession trino, int rounds)
            throws SQLException {
        Map<String, List<Double>> millis = new LinkedHashMap<>();
        List<ScanTable> order = new ArrayList<>(List.of(ScanTable.values()));
        for (int round = 0; round < rounds; round++) {
            for (Query query : QUERIES) {
                for (ScanTable table : order) {
                    long start = System.nanoTime();
                    trino.query(sql(query.sql(), table));
                    millis.computeIfAbsent(
                                    query.name() + " " + table.label(), _ -> new ArrayList<>())
                            .add((System.nanoTime() - start) / 1e6);
                }
            }
            Collections.rotate(order, 1);
        }
        return millis;
    }

    private static String sql(String query, ScanTable table) {
        return query.replace("%s.lineitem", table.qualifiedName());
    }
}
