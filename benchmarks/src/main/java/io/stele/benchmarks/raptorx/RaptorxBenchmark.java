package io.stele.benchmarks.raptorx;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TpchRounds;
import io.stele.benchmarks.servers.TpchRounds.Place;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.TpchQuery;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * A benchmark of the effect of caches on the 22 queries of TPC-H on S3. It queries a catalog
 * without any cache, one that is queried for the first time, and one that was queried before. The
 * last is compared with Iceberg with {@code fs.cache} and its cache of footers. Then two queries
 * run whose dates move by a day each time.
 *
 * <p>The store is versitygw behind a proxy that gives reads the latency of S3: 30 ms and 20 ms a
 * MiB, a fifth more or less. All catalogs are in one Trino server, over one sidecar. The sidecar is
 * restarted for the cold catalog; its code is then warmed by other tables. It is restarted again
 * for the catalog without caches, and then has no caches either. That catalog comes last, when
 * Trino's code is compiled as well as it is for the warm ones. Rounds are interleaved. Every result
 * is compared with the first one.
 */
public final class RaptorxBenchmark implements Benchmark {
    private static final String SCHEMA = "bench";
    private static final Place OFF = new Place("off", "stele_off", SCHEMA);
    private static final Place COLD = new Place("cold", "stele_cold", SCHEMA);
    private static final Place WARM = new Place("warm", "stele_warm", SCHEMA);
    private static final Place ICEBERG = new Place("iceberg_warm", "iceberg_warm", SCHEMA);

    /** The queries' tables in small, for code that is to be compiled and caches that are not. */
    private static final String OTHER_SCHEMA = "other";

    private static final Place OTHER = new Place("other", WARM.catalog(), OTHER_SCHEMA);
    private static final int OTHER_ROUNDS = 4;

    private static final Map<String, String> SIDECAR_WITHOUT_CACHES =
            Map.of(
                    "stele.cache.enabled", "false",
                    "stele.decoded-column-cache.size", "0B",
                    "stele.footer-cache.size", "0B",
                    "stele.fragment-cache.enabled", "false");

    private static final String SLOWEST_PLANNING = "slowest planning in the connector, median ms";

    /** Which RaptorX made 2.2 to 2.4 times as fast. */
    private static final Set<String> HARD = Set.of("q07", "q18", "q21");

    /**
     * The amount of queries and tables.
     *
     * @param queries empty: all
     * @param isWarmedUp whether code is compiled, and tables are analyzed, before anything counts
     * @param warmUpRounds of code and caches, each time beside the one that fills them
     * @param daysBefore of dates that move, before those that are measured
     * @param byMonth the rows of the table partitioned by month, one element for each statement
     *     that loads it
     */
    private record Extent(
            String scale,
            List<String> tables,
            Set<String> queries,
            boolean isWarmedUp,
            int warmUpRounds,
            int offRounds,
            int warmRounds,
            int daysBefore,
            int days,
            List<String> byMonth,
            int planningRounds) {
        private static final Extent FULL =
                new Extent(
                        "sf1",
                        TpchQuery.TABLES,
                        Set.of(),
                        true,
                        15,
                        2,
                        5,
                        3,
                        15,
                        // Iceberg has all months' files open at once, and not room for 84
                        List.of(
                                "year(l_shipdate) < 1994",
                                "year(l_shipdate) BETWEEN 1994 AND 1995",
                                "year(l_shipdate) > 1995"),
                        15);

        /** A query for each target, of few tables and few files; once, by code that is cold. */
        private static final Extent QUICK =
                new Extent(
                        "tiny",
                        List.of("customer", "lineitem", "orders"),
                        Set.of("q06", "q18"),
                        false,
                        0,
                        1,
                        1,
                        0,
                        1,
                        List.of("l_shipdate BETWEEN DATE '1994-01-01' AND DATE '1994-03-31'"),
                        1);

        private boolean has(TpchQuery query) {
            return queries.isEmpty() || queries.contains(query.name());
        }
    }

    @Override
    public String name() {
        return "raptorx";
    }

    @Override
    public String description() {
        return "The 22 queries of TPC-H from S3 with its latency: without caches, cold, warm, and with dates that move; beside warm Iceberg";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Extent extent = options.quick() ? Extent.QUICK : Extent.FULL;
        List<TpchQuery> queries =
                TpchQuery.all().stream()
                        .filter(query -> query.name().contains(options.only().orElse("")))
                        .filter(extent::has)
                        .toList();
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        List<Target> targets;
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            catalogs.configureSidecar(SIDECAR_WITHOUT_CACHES);
            configureTrino(catalogs);
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, catalogs, extent, metrics);
                if (extent.isWarmedUp()) {
                    loadOther(trino);
                }
                TpchRounds rounds = new TpchRounds(trino);
                if (extent.isWarmedUp()) {
                    rounds.run(1, queries, List.of(OFF, ICEBERG));
                }
                Phase phase = new Phase(rounds, proxy, queries, metrics);
                catalogs.configureSidecar(catalogs.withPages("stele.cache", "sidecar", Map.of()));
                servers.restartSidecar();
                if (extent.isWarmedUp()) {
                    new TpchRounds(trino).run(OTHER_ROUNDS, queries, List.of(OTHER));
                }
                proxy.newRound(InjectedDelays.S3);
                phase.run(1, COLD);
                proxy.newRound(InjectedDelays.NONE);
                rounds.run(1 + extent.warmUpRounds(), queries, List.of(WARM, ICEBERG));
                proxy.newRound(InjectedDelays.S3);
                phase.run(extent.warmRounds(), WARM, ICEBERG);
                floor(trino, extent.warmRounds(), metrics);
                dashboards(trino, proxy, extent, metrics);
                planning(trino, queries, extent.planningRounds(), metrics);
                proxy.newRound(InjectedDelays.NONE);
                catalogs.configureSidecar(SIDECAR_WITHOUT_CACHES);
                servers.restartSidecar();
                if (extent.isWarmedUp()) {
                    rounds.run(1, queries, List.of(OFF));
                }
                proxy.newRound(InjectedDelays.S3);
                phase.run(extent.offRounds(), OFF);
                targets = targets(queries, metrics);
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", TPC-H " + extent.scale() + ", reads of 30 ms + 20 ms/MiB",
                metrics.asMap(),
                targets);
    }

    private static void configureTrino(S3Catalogs catalogs) throws IOException {
        Map<String, String> off = new TreeMap<>(catalogs.stele());
        off.put("stele.scan.column-cache-size", "0B");
        off.put("stele.scan.tail-cache-size", "0B");
        off.put("stele.fragment-cache.enabled", "false");
        off.put("stele.metadata-cache.enabled", "false");
        catalogs.write(OFF.catalog(), off);
        for (Place place : List.of(COLD, WARM)) {
            catalogs.write(
                    place.catalog(),
                    catalogs.withPages("stele.cache", place.catalog(), catalogs.stele()));
        }
        Map<String, String> iceberg =
                catalogs.withPages("fs.cache", ICEBERG.catalog(), catalogs.iceberg());
        iceberg.put("iceberg.parquet-footer-cache.type", "MEMORY");
        iceberg.put("iceberg.parquet-footer-cache.memory.max-size", "64MB");
        catalogs.write(ICEBERG.catalog(), iceberg);
    }

    private static void load(
            TrinoSession trino, S3Catalogs catalogs, Extent extent, Metrics metrics)
            throws SQLException {
        trino.update("CREATE SCHEMA %s.%s".formatted(WARM.catalog(), SCHEMA));
        trino.update(
                "CREATE SCHEMA %s.%s WITH (location = '%s')"
                        .formatted(ICEBERG.catalog(), SCHEMA, catalogs.icebergLocation(SCHEMA)));
        for (Place place : List.of(WARM, ICEBERG)) {
            trino.use(place.catalog(), SCHEMA);
            long start = System.nanoTime();
            loadTables(trino, extent.scale(), extent.tables(), extent.isWarmedUp());
            Dashboards.load(
                    trino,
                    place.equals(ICEBERG),
                    extent.scale(),
                    extent.byMonth(),
                    extent.isWarmedUp());
            metrics.put("load " + place.label() + " s", (System.nanoTime() - start) / 1e9);
        }
    }

    private static void loadOther(TrinoSession trino) throws SQLException {
        trino.update("CREATE SCHEMA %s.%s".formatted(OTHER.catalog(), OTHER_SCHEMA));
        trino.use(OTHER.catalog(), OTHER_SCHEMA);
        loadTables(trino, "tiny", TpchQuery.TABLES, true);
    }

    /** Into the session's schema. */
    private static void loadTables(
            TrinoSession trino, String scale, List<String> tables, boolean isAnalyzed)
            throws SQLException {
        for (String table : tables) {
            trino.update(
                    "CREATE TABLE %s AS SELECT * FROM tpch.%s.%s".formatted(table, scale, table));
            if (isAnalyzed) {
                trino.update("ANALYZE " + table);
            }
        }
    }

    /** Counts what places take from the store, and how long they take. */
    private record Phase(
            TpchRounds rounds, DelayingS3Proxy proxy, List<TpchQuery> queries, Metrics metrics) {
        void run(int count, Place... places) throws SQLException {
            long reads = proxy.reads();
            long bytes = proxy.sentBytes();
            rounds.run(count, queries, List.of(places));
            String name = places.length == 1 ? places[0].label() : "warm, both";
            metrics.put(name + " requests a round", (double) (proxy.reads() - reads) / count);
            metrics.put(
                    name + " MiB a round",
                    (proxy.sentBytes() - bytes) / (double) (1 << 20) / count);
            for (Place place : places) {
                double total = 0;
                for (TpchQuery query : queries) {
                    double median = Medians.median(rounds.millis(query, place));
                    total += median;
                    metrics.put(millis(query, place), median);
                }
                metrics.put("all queries " + place.label() + " ms", total);
            }
        }
    }

    private static String millis(TpchQuery query, Place place) {
        return query.name() + " " + place.label() + " median ms";
    }

    /** The coordinator's time in the connector, by the queries' statistics. */
    private static void planning(
            TrinoSession trino, List<TpchQuery> queries, int rounds, Metrics metrics)
            throws SQLException, IOException, InterruptedException {
        trino.use(WARM.catalog(), SCHEMA);
        double slowest = 0;
        for (TpchQuery query : queries) {
            List<Double> millis = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                millis.add(trino.planningMillis(query.sql(), WARM.catalog()));
            }
            double median = Medians.median(millis);
            metrics.put(query.name() + " planning in the connector median ms", median);
            slowest = Math.max(slowest, median);
        }
        metrics.put(SLOWEST_PLANNING, slowest);
    }

    /** Trino's time for a query without any table. */
    private static void floor(TrinoSession trino, int rounds, Metrics metrics) throws SQLException {
        Latencies latencies = new Latencies();
        for (int i = 0; i < 10 * rounds; i++) {
            trino.timed("SELECT 1", latencies);
        }
        metrics.put("SELECT 1 median ms", latencies.millis(50));
    }

    private static void dashboards(
            TrinoSession trino, DelayingS3Proxy proxy, Extent extent, Metrics metrics)
            throws SQLException {
        for (Dashboards.Panel panel : Dashboards.panels(extent.daysBefore(), extent.days())) {
            TpchRounds rounds = new TpchRounds(trino);
            // The first days are those before: the queries of an hour ago were then run for the
            // first time
            rounds.run(1, panel.before(), List.of(WARM, ICEBERG));
            long reads = proxy.reads();
            rounds.run(1, panel.days(), List.of(WARM, ICEBERG));
            for (Place place : List.of(WARM, ICEBERG)) {
                metrics.put(
                        "%s %s median ms".formatted(panel.name(), place.label()),
                        Medians.median(
                                panel.days().stream()
                                        .flatMap(query -> rounds.millis(query, place).stream())
                                        .toList()));
            }
            metrics.put(panel.name() + " requests", (double) (proxy.reads() - reads));
            metrics.put(
                    panel.name() + " speed, times Iceberg",
                    metrics.value(panel.name() + " iceberg_warm median ms")
                            / metrics.value(panel.name() + " warm median ms"));
        }
    }

    private static List<Target> targets(List<TpchQuery> queries, Metrics metrics) {
        ToDoubleFunction<TpchQuery> overOff = query -> ratio(query, OFF, metrics);
        ToDoubleFunction<TpchQuery> overIceberg = query -> ratio(query, ICEBERG, metrics);
        for (TpchQuery query : queries) {
            metrics.put(query.name() + " warm, times off", overOff.applyAsDouble(query));
            metrics.put(query.name() + " warm, times Iceberg", overIceberg.applyAsDouble(query));
        }
        List<TpchQuery> hard =
                queries.stream().filter(query -> HARD.contains(query.name())).toList();
        double dashboards =
                Dashboards.panels(0, 1).stream()
                        .filter(Dashboards.Panel::byMonth)
                        .mapToDouble(panel -> metrics.value(panel.name() + " speed, times Iceberg"))
                        .min()
                        .orElseThrow();
        return List.of(
                Target.atLeast("warm, times caches off, mean", 10.0, mean(queries, overOff)),
                Target.atLeast("warm, times warm Iceberg, mean", 2.0, mean(queries, overIceberg)),
                Target.atLeast("Q1 and Q6 with dates that move, times Iceberg", 10.0, dashboards),
                Target.atLeast(
                        "slowest of Q7, Q18, Q21, times caches off",
                        4.0,
                        hard.stream().mapToDouble(overOff).min().orElse(Double.NaN)),
                Target.atMost(SLOWEST_PLANNING, 3.0, metrics.value(SLOWEST_PLANNING)));
    }

    private static double ratio(TpchQuery query, Place other, Metrics metrics) {
        return metrics.value(millis(query, other)) / metrics.value(millis(query, WARM));
    }

    /** Geometric. */
    private static double mean(List<TpchQuery> queries, ToDoubleFunction<TpchQuery> ratio) {
        return Math.exp(
                queries.stream().mapToDouble(ratio).map(Math::log).average().orElse(Double.NaN));
    }
}
