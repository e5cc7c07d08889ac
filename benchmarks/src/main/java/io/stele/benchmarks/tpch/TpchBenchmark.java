package io.stele.benchmarks.tpch;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Ratios;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TpchRounds;
import io.stele.benchmarks.servers.TpchRounds.Place;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.JoinOrder;
import io.stele.testing.TpchQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A benchmark of the 22 queries of TPC-H in Stele and in Iceberg (ORC and Parquet), in one Trino
 * server.
 *
 * <p>All tables are loaded by CREATE TABLE AS from the same generator with their connectors'
 * defaults, and analyzed. The rounds are interleaved: in each, every store answers every query
 * once, in an order that rotates. Stele answers twice: without results of earlier queries, which is
 * the figure that counts, and with them, as by default. Every result is compared with the first; a
 * difference fails the benchmark. Where join orders differ, both are printed.
 */
public final class TpchBenchmark implements Benchmark {
    private static final double MEAN_TARGET = 1.3;
    private static final double QUERY_TARGET = 0.9;

    @Override
    public String name() {
        return "tpch";
    }

    @Override
    public String description() {
        return "The 22 queries of TPC-H through Trino, beside Iceberg (ORC, Parquet) in the same server";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        // A quick run compares results and times that alone
        int warmUpRounds = options.quick() ? 0 : 6; // fewer measure compilers
        int rounds = options.quick() ? 1 : 5;
        List<TpchQuery> queries =
                TpchQuery.all().stream()
                        .filter(query -> query.name().contains(options.only().orElse("")))
                        .toList();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        List<Target> targets;
        try (SteleServers servers = new SteleServers(Run.load())) {
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, scale, metrics);
                compareJoinOrders(trino, queries, metrics);
                TpchRounds asked = new TpchRounds(trino);
                asked.run(warmUpRounds, queries, TpchStore.places());
                asked.run(rounds, queries, TpchStore.places());
                targets = report(queries, asked, metrics);
            }
        }
        return new BenchmarkReport(name(), machine + ", TPC-H " + scale, metrics.asMap(), targets);
    }

    private static void load(TrinoSession trino, String scale, Metrics metrics)
            throws SQLException {
        for (TpchStore store : TpchStore.values()) {
            trino.update("CREATE SCHEMA %s.%s".formatted(store.catalog(), store.schema()));
            trino.use(store.catalog(), store.schema());
            long start = System.nanoTime();
            for (String table : TpchQuery.TABLES) {
                trino.update(
                        "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.%s"
                                .formatted(table, store.properties(), scale, table));
            }
            metrics.put("load " + store.label() + " s", (System.nanoTime() - start) / 1e9);
            for (String table : TpchQuery.TABLES) {
                trino.update("ANALYZE " + table);
            }
        }
    }

    private static void compareJoinOrders(
            TrinoSession trino, List<TpchQuery> queries, Metrics metrics) throws SQLException {
        int same = 0;
        for (TpchQuery query : queries) {
            String stele = joinOrder(trino, query, TpchStore.STELE);
            String iceberg = joinOrder(trino, query, TpchStore.ICEBERG_PARQUET);
            same += stele.equals(iceberg) ? 1 : 0;
            if (!stele.equals(iceberg)) {
                System.out.println(
                        "%s: join order %s, of Iceberg %s".formatted(query.name(), stele, iceberg));
            }
        }
        metrics.put("queries with Iceberg's join order", same);
    }

    private static String joinOrder(TrinoSession trino, TpchQuery query, TpchStore store)
            throws SQLException {
        trino.use(store.catalog(), store.schema());
        return JoinOrder.of(
                (String)
                        trino.query("EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) " + query.sql())
                                .getFirst()
                                .getFirst());
    }

    private static List<Target> report(List<TpchQuery> queries, TpchRounds asked, Metrics metrics) {
        for (TpchQuery query : queries) {
            for (Place place : TpchStore.places()) {
                String key = query.name() + " " + place.label();
                List<Double> times = asked.millis(query, place);
                metrics.put(key + " median ms", Medians.median(times));
                metrics.put(key + " min ms", Collections.min(times));
                metrics.put(key + " max ms", Collections.max(times));
            }
        }
        List<Target> targets = new ArrayList<>();
        for (Place place : List.of(TpchStore.STELE.place(), TpchStore.withResults())) {
            Ratios ratios = new Ratios();
            for (TpchQuery query : queries) {
                double ratio =
                        Math.min(
                                        asked.median(query, TpchStore.ICEBERG_ORC.place()),
                                        asked.median(query, TpchStore.ICEBERG_PARQUET.place()))
                                / asked.median(query, place);
                metrics.put(
                        "%s %s: speed, times the better Iceberg"
                                .formatted(query.name(), place.label()),
                        ratio);
                ratios.add(ratio);
            }
            targets.add(
                    Target.atLeast(
                            place.label() + ": geometric mean, times the better Iceberg",
                            MEAN_TARGET,
                            ratios.geometricMean()));
            targets.add(
                    Target.atLeast(
                            place.label() + ": slowest query, times the better Iceberg",
                            QUERY_TARGET,
                            ratios.least()));
        }
        return targets;
    }
}
