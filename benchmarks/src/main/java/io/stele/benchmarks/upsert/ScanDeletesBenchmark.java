package io.stele.benchmarks.upsert;

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
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A benchmark of full scans of TPC-H lineitem through Trino with 0, 1 and 10 % of its rows deleted,
 * spread evenly. Three tables of the same rows are changed by DELETE statements. Rounds take the
 * tables in turns. Counts and sums are compared with the generator's for the rows that are left.
 *
 * <p>Rows deleted are not in the result, so a table with many of them has less to add up; what is
 * compared is the time of the whole scan all the same.
 */
public final class ScanDeletesBenchmark implements Benchmark {
    private static final List<Integer> PERCENTS = List.of(0, 1, 10);
    private static final double TARGET = 1.10;
    private static final String SCHEMA = "bench";

    private record Scan(String name, String select) {}

    /** Every column that sums can be made of; and one column alone. */
    private static final List<Scan> SCANS =
            List.of(
                    new Scan(
                            "wide",
                            "SELECT count(*), sum(l_orderkey), sum(l_partkey), sum(l_suppkey), sum(l_linenumber),"
                                    + " CAST(sum(l_quantity) AS bigint), max(l_shipdate), max(l_shipmode), max(l_comment)"),
                    new Scan("narrow", "SELECT count(*), sum(l_partkey)"));

    @Override
    public String name() {
        return "scan-deletes";
    }

    @Override
    public String description() {
        return "full scans through Trino with 0, 1 and 10 % deleted rows";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int warmUpRounds = options.quick() ? 1 : 4;
        int rounds = options.quick() ? 3 : 15;
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (SteleServers servers = new SteleServers(run)) {
            servers.startBoth();
            try (FlightClient flight = Clients.flight(run);
                    TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                // Otherwise the sidecar would aggregate without a scan, and workers would cache
                // filtered rows
                trino.update("SET SESSION stele.aggregation_pushdown_enabled = false");
                trino.update("SET SESSION stele.fragment_cache_enabled = false");
                load(trino, scale, metrics);
                for (int percent : PERCENTS) {
                    flight.action(MaintenanceActions.FLUSH, TableRequest.of(SCHEMA, name(percent)));
                }
                compareResults(trino, scale);
                measure(trino, warmUpRounds);
                measure(trino, rounds)
                        .forEach(
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
        for (Scan scan : SCANS) {
            double none = metrics.value(key(scan, 0) + " median ms");
            for (int percent : PERCENTS.subList(1, PERCENTS.size())) {
                double ratio = metrics.value(key(scan, percent) + " median ms") / none;
                String name =
                        "%s scan, %d %% deleted: time, times none".formatted(scan.name(), percent);
                metrics.put(name, ratio);
                if (percent == 1) {
                    targets.add(Target.atMost(name, TARGET, ratio));
                }
            }
        }
        return targets;
    }

    private static void load(TrinoSession trino, String scale, Metrics metrics)
            throws SQLException {
        trino.update("CREATE SCHEMA stele.bench");
        for (int percent : PERCENTS) {
            long start = System.nanoTime();
            trino.update(
                    "CREATE TABLE %s WITH (primary_key = ARRAY['l_orderkey', 'l_linenumber']) AS SELECT * FROM tpch.%s.lineitem"
                            .formatted(table(percent), scale));
            metrics.put("load %d s".formatted(percent), (System.nanoTime() - start) / 1e9);
        }
        for (int percent : PERCENTS.subList(1, PERCENTS.size())) {
            long start = System.nanoTime();
            long deleted =
                    trino.update(
                            "DELETE FROM %s WHERE %s"
                                    .formatted(table(percent), isDeleted(percent)));
            metrics.put("delete %d %%: s".formatted(percent), (System.nanoTime() - start) / 1e9);
            metrics.put("delete %d %%: rows".formatted(percent), (double) deleted);
        }
    }

    /** Orders have unlike numbers of lines, so this hits rows here and there in every file. */
    private static String isDeleted(int percent) {
        return "(l_orderkey * 7 + l_linenumber * 13) %% 100 < %d".formatted(percent);
    }

    private static void compareResults(TrinoSession trino, String scale) throws SQLException {
        for (Scan scan : SCANS) {
            for (int percent : PERCENTS) {
                List<List<Object>> expected =
                        trino.query(
                                "%s FROM tpch.%s.lineitem WHERE NOT (%s)"
                                        .formatted(scan.select(), scale, isDeleted(percent)));
                List<List<Object>> found = trino.query(sql(scan, percent));
                if (!expected.equals(found)) {
                    throw new IllegalStateException(
                            "Expected %s with %d %% deleted to give %s, found %s"
                                    .formatted(scan.name(), percent, expected, found));
                }
            }
        }
    }

    private static Map<String, List<Double>> measure(TrinoSession trino, int rounds)
            throws SQLException {
        Map<String, List<Double>> millis = new LinkedHashMap<>();
        List<Integer> order = new ArrayList<>(PERCENTS);
        for (int round = 0; round < rounds; round++) {
            for (Scan scan : SCANS) {
                for (int percent : order) {
                    long start = System.nanoTime();
                    trino.query(sql(scan, percent));
                    millis.computeIfAbsent(key(scan, percent), _ -> new ArrayList<>())
                            .add((System.nanoTime() - start) / 1e6);
                }
            }
            Collections.rotate(order, 1);
        }
        return millis;
    }

    private static String key(Scan scan, int percent) {
        return "%s scan, %d %% deleted".formatted(scan.name(), percent);
    }

    private static String sql(Scan scan, int percent) {
        return scan.select() + " FROM " + table(percent);
    }

    private static String table(int percent) {
        return "stele.%s.%s".formatted(SCHEMA, name(percent));
    }

    private static String name(int percent) {
        return "lineitem_" + percent;
    }
}
