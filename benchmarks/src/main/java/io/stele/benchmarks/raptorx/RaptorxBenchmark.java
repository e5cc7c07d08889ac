package io.stele.benchmarks.raptorx;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Ratios;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.LoadedTable;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * A benchmark of the 22 queries of TPC-H on S3 with its latency, in Stele and in Iceberg (Parquet),
 * without a cache and with {@code fs.cache} and its cache of footers. Stele has tables without a
 * key, as they are loaded by default, and tables with a key that is not the order of their files.
 *
 * <p>The store is versitygw behind a proxy that gives reads the latency of S3: 30 ms and 20 ms a
 * MiB, a fifth more or less. All catalogs are in one Trino server, over one sidecar, with their
 * defaults. First: before each round of a place both servers are started, and everything that was
 * cached on disk is deleted, of all systems, so that nothing is warm and no code is compiled. Warm:
 * the same queries again and again, interleaved, in an order that rotates; in Stele without results
 * of earlier queries, which is the figure that counts, and with them. Then two queries run whose
 * dates move by a day each time. At last sidecar and catalog are without any cache, beside Iceberg
 * without. Every result is compared with the first one.
 */
public final class RaptorxBenchmark implements Benchmark {
    private static final String ICEBERG_SCHEMA = "bench";
    private static final Place ICEBERG = new Place("iceberg", "iceberg", ICEBERG_SCHEMA);
    private static final Place CACHED_ICEBERG =
            new Place("iceberg with fs.cache", "iceberg_cached", ICEBERG_SCHEMA);

    private static final Map<String, String> SIDECAR_WITHOUT_CACHES =
            Map.of(
                    "stele.cache.enabled", "false",
                    "stele.decoded-column-cache.size", "0B",
                    "stele.footer-cache.size", "0B",
                    "stele.fragment-cache.enabled", "false");

    private static final String SLOWEST_PLANNING = "slowest planning in the connector, median ms";

    /** Which RaptorX made 2.2 to 2.4 times as fast. */
    private static final Set<String> HARD = Set.of("q07", "q18", "q21");

    private static final String OVER_FIRST = "%s: first after start, %s";
    private static final String OVER_WARM = "%s: warm, %s, times the better Iceberg";

    /**
     * The amount of queries and tables.
     *
     * @param tables of the eight
     * @param queries empty: all
     * @param firstRounds starts of both servers for each place; 0: this is not measured
     * @param warmUpRounds of code and caches
     * @param daysBefore of dates that move, before those that are measured
     * @param byMonth the rows of the table partitioned by month, one element for each statement
     *     that loads it
     */
    private record Extent(
            String scale,
            Set<String> tables,
            Set<String> queries,
            int firstRounds,
            int warmUpRounds,
            int warmRounds,
            int offRounds,
            int daysBefore,
            int days,
            List<String> byMonth,
            int planningRounds) {
        private static final Extent FULL =
                new Extent(
                        "sf1",
                        Set.copyOf(TpchQuery.TABLES),
                        Set.of(),
                        3,
                        12,
                        5,
                        2,
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
                        Set.of("customer", "lineitem", "orders"),
                        Set.of("q06", "q18"),
                        0,
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

        private List<LoadedTable> loaded() {
            return LoadedTable.TPCH.stream()
                    .filter(table -> tables.contains(table.name()))
                    .toList();
        }
    }

    @Override
    public String name() {
        return "raptorx";
    }

    @Override
    public String description() {
        return "The 22 queries of TPC-H from S3 with its latency: first after a start, warm, with dates that move, without caches; beside Iceberg without and with fs.cache";
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
        List<Target> targets = new ArrayList<>();
        String machine = Machine.describe();
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            catalogs.configureSidecar();
            configureTrino(catalogs);
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, catalogs, extent, metrics);
                TpchRounds rounds = new TpchRounds(trino, proxy::reads);
                Phases phases = new Phases(rounds, proxy, queries, metrics, targets);
                if (extent.firstRounds() > 0) {
                    phases.first(servers, extent.firstRounds());
                }
                try (TrinoSession again = TrinoSession.connect(servers.trinoUri())) {
                    rounds.use(again);
                    phases.warm(extent.warmUpRounds(), extent.warmRounds());
                    floor(again, extent.warmRounds(), metrics);
                    dashboards(again, proxy, extent, metrics, targets);
                    planning(again, queries, extent.planningRounds(), metrics, targets);
                    catalogs.configureSidecar(SIDECAR_WITHOUT_CACHES);
                    servers.restartSidecar();
                    phases.withoutCaches(extent.offRounds());
                }
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", TPC-H " + extent.scale() + ", reads of 30 ms + 20 ms/MiB",
                metrics.asMap(),
                targets);
    }

    private static void configureTrino(S3Catalogs catalogs) throws IOException {
        catalogs.write(Layout.CATALOG, catalogs.stele());
        Map<String, String> uncached = new TreeMap<>(catalogs.stele());
        uncached.put("stele.cache.enabled", "false");
        uncached.put("stele.scan.column-cache-size", "0B");
        uncached.put("stele.scan.tail-cache-size", "0B");
        uncached.put("stele.fragment-cache.enabled", "false");
        uncached.put("stele.metadata-cache.enabled", "false");
        catalogs.write(Layout.UNCACHED, uncached);
        catalogs.write(ICEBERG.catalog(), catalogs.iceberg());
        catalogs.write(CACHED_ICEBERG.catalog(), catalogs.cachedIceberg(CACHED_ICEBERG.catalog()));
    }

    private static void load(
            TrinoSession trino, S3Catalogs catalogs, Extent extent, Metrics metrics)
            throws SQLException {
        for (Layout layout : Layout.values()) {
            trino.update("CREATE SCHEMA %s.%s".formatted(Layout.CATALOG, layout.schema()));
        }
        trino.update(
                "CREATE SCHEMA %s.%s WITH (location = '%s')"
                        .formatted(
                                ICEBERG.catalog(),
                                ICEBERG_SCHEMA,
                                catalogs.icebergLocation(ICEBERG_SCHEMA)));
        for (Place place : List.of(Layout.NO_KEY.withResults(), ICEBERG)) {
            trino.use(place.catalog(), place.schema());
            long start = System.nanoTime();
            for (LoadedTable table : extent.loaded()) {
                trino.update(
                        "CREATE TABLE %s AS %s"
                                .formatted(table.name(), table.select(extent.scale())));
                if (!place.equals(ICEBERG)) {
                    trino.flush(table.name());
                }
                trino.update("ANALYZE " + table.name());
            }
            Dashboards.load(trino, place.equals(ICEBERG), extent.scale(), extent.byMonth());
            metrics.put("load " + place.label() + " s", (System.nanoTime() - start) / 1e9);
        }
        trino.use(Layout.CATALOG, Layout.KEYED.schema());
        LoadedTable.loadKeyed(trino, extent.loaded(), extent.scale());
    }

    /** Runs the queries, and counts what they take from the store. */
    private record Phases(
            TpchRounds rounds,
            DelayingS3Proxy proxy,
            List<TpchQuery> queries,
            Metrics metrics,
            List<Target> targets) {
        void first(SteleServers servers, int count) throws Exception {
            List<Place> places = new ArrayList<>();
            for (Layout layout : Layout.values()) {
                places.add(layout.withResults());
            }
            places.add(ICEBERG);
            List<Place> order = new ArrayList<>(places);
            for (int round = 0; round < count; round++) {
                for (Place place : order) {
                    proxy.newRound(InjectedDelays.NONE);
                    servers.restartBothEmpty();
                    proxy.newRound(InjectedDelays.S3);
                    try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                        rounds.use(trino);
                        rounds.runMore(1, queries, List.of(place));
                    }
                }
                Collections.rotate(order, 1);
            }
            report("first", places);
            for (Layout layout : Layout.values()) {
                Place place = layout.withResults();
                add(OVER_FIRST, place, "times Iceberg", 1.5, total(ICEBERG) / total(place));
                Ratios ratios = ratios(query -> rounds.median(query, ICEBERG), place);
                add(OVER_FIRST, place, "slowest query, times Iceberg", 0.9, ratios.least());
            }
        }

        void warm(int warmUpRounds, int count) throws SQLException {
            List<Place> places =
                    Stream.concat(
                                    Arrays.stream(Layout.values())
                                            .flatMap(
                                                    layout ->
                                                            Stream.of(
                                                                    layout.withoutResults(),
                                                                    layout.withResults())),
                                    Stream.of(ICEBERG, CACHED_ICEBERG))
                            .toList();
            proxy.newRound(InjectedDelays.NONE);
            rounds.run(1 + warmUpRounds, queries, places);
            proxy.newRound(InjectedDelays.S3);
            rounds.run(count, queries, places);
            report("warm", places);
            ToDoubleFunction<TpchQuery> iceberg =
                    query ->
                            Math.min(
                                    rounds.median(query, ICEBERG),
                                    rounds.median(query, CACHED_ICEBERG));
            for (Layout layout : Layout.values()) {
                for (Place place : List.of(layout.withoutResults(), layout.withResults())) {
                    boolean isCached = place.equals(layout.withResults());
                    Ratios ratios = ratios(iceberg, place);
                    add(OVER_WARM, place, "mean", isCached ? 3 : 2, ratios.geometricMean());
                    add(OVER_WARM, place, "slowest query", 0.9, ratios.least());
                }
                for (TpchQuery query : queries) {
                    if (query.name().equals("q18")) {
                        Place place = layout.withoutResults();
                        double ratio = iceberg.applyAsDouble(query) / rounds.median(query, place);
                        add(OVER_WARM, place, "Q18", 1, ratio);
                    }
                }
            }
        }

        /** The sidecar has no caches; of Stele's code all is compiled in the first round. */
        void withoutCaches(int count) throws SQLException {
            Place off = Layout.NO_KEY.withoutCaches();
            Place warm = Layout.NO_KEY.withResults();
            proxy.newRound(InjectedDelays.NONE);
            rounds.run(1, queries, List.of(off, ICEBERG));
            proxy.newRound(InjectedDelays.S3);
            rounds.run(count, queries, List.of(off, ICEBERG));
            report("without caches", List.of(off, ICEBERG));
            Ratios all = new Ratios();
            Ratios hard = new Ratios();
            for (TpchQuery query : queries) {
                double ratio =
                        rounds.median(query, off) / metrics.value(millis("warm", query, warm));
                all.add(ratio);
                if (HARD.contains(query.name())) {
                    hard.add(ratio);
                }
            }
            targets.add(Target.atLeast("warm, times caches off, mean", 10, all.geometricMean()));
            targets.add(
                    Target.atLeast("slowest of Q7, Q18, Q21, times caches off", 4, hard.least()));
        }

        private Ratios ratios(ToDoubleFunction<TpchQuery> other, Place place) {
            Ratios ratios = new Ratios();
            queries.forEach(
                    query -> ratios.add(other.applyAsDouble(query) / rounds.median(query, place)));
            return ratios;
        }

        private double total(Place place) {
            return queries.stream().mapToDouble(query -> rounds.median(query, place)).sum();
        }

        private void add(String name, Place place, String what, double target, double measured) {
            targets.add(Target.atLeast(name.formatted(place.label(), what), target, measured));
        }

        private void report(String phase, List<Place> places) {
            for (Place place : places) {
                double requests = 0;
                for (TpchQuery query : queries) {
                    double count = Medians.median(rounds.requests(query, place));
                    metrics.put(millis(phase, query, place), rounds.median(query, place));
                    metrics.put(
                            "%s %s %s requests".formatted(phase, query.name(), place.label()),
                            count);
                    requests += count;
                }
                metrics.put("%s all %s ms".formatted(phase, place.label()), total(place));
                metrics.put("%s all %s requests".formatted(phase, place.label()), requests);
            }
        }

        private static String millis(String phase, TpchQuery query, Place place) {
            return "%s %s %s median ms".formatted(phase, query.name(), place.label());
        }
    }

    /** The coordinator's time in the connector, by the queries' statistics. */
    private static void planning(
            TrinoSession trino,
            List<TpchQuery> queries,
            int rounds,
            Metrics metrics,
            List<Target> targets)
            throws SQLException, IOException, InterruptedException {
        trino.use(Layout.CATALOG, Layout.NO_KEY.schema());
        double slowest = 0;
        for (TpchQuery query : queries) {
            List<Double> millis = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                millis.add(trino.planningMillis(query.sql(), Layout.CATALOG));
            }
            double median = Medians.median(millis);
            metrics.put(query.name() + " planning in the connector median ms", median);
            slowest = Math.max(slowest, median);
        }
        targets.add(Target.atMost(SLOWEST_PLANNING, 3.0, slowest));
    }

    /** Trino's time for a query without any table. */
    private static void floor(TrinoSession trino, int rounds, Metrics metrics) throws SQLException {
        Latencies latencies = new Latencies();
        for (int i = 0; i < 10 * rounds; i++) {
            trino.timed("SELECT 1", latencies);
        }
        metrics.put("SELECT 1 median ms", latencies.millis(50));
    }

    /** Each panel is in Stele without and with results of the days before, and in Iceberg. */
    private static void dashboards(
            TrinoSession trino,
            DelayingS3Proxy proxy,
            Extent extent,
            Metrics metrics,
            List<Target> targets)
            throws SQLException {
        Place stele = Layout.NO_KEY.withResults();
        List<Place> places = List.of(Layout.NO_KEY.withoutResults(), stele, CACHED_ICEBERG);
        Ratios byMonth = new Ratios();
        for (Dashboards.Panel panel : Dashboards.panels(extent.daysBefore(), extent.days())) {
            TpchRounds rounds = new TpchRounds(trino, proxy::reads);
            // The first days are those before: the queries of an hour ago were then run for the
            // first time
            rounds.run(1, panel.before(), places);
            rounds.run(1, panel.days(), places);
            List<Double> medians = new ArrayList<>();
            for (Place place : places) {
                String name = "%s %s ".formatted(panel.name(), place.label());
                medians.add(
                        Medians.median(
                                panel.days().stream()
                                        .flatMap(query -> rounds.millis(query, place).stream())
                                        .toList()));
                metrics.put(name + "median ms", medians.getLast());
                metrics.put(
                        name + "requests",
                        panel.days().stream()
                                .flatMap(query -> rounds.requests(query, place).stream())
                                .mapToDouble(Double::doubleValue)
                                .sum());
            }
            if (panel.byMonth()) {
                byMonth.add(medians.getLast() / medians.get(places.indexOf(stele)));
            }
        }
        targets.add(
                Target.atLeast(
                        "Q1 and Q6 with dates that move, times Iceberg", 10, byMonth.least()));
    }
}
