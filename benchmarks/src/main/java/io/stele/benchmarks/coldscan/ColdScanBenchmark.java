package io.stele.benchmarks.coldscan;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TpchQueries;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.RequestSpan;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A benchmark of cold and repeated scans, TPC-H Q6 over lineitem on S3, in Stele and Iceberg with
 * and without Trino's {@code fs.cache}, in one Trino server. All have their defaults: of Stele the
 * sidecar may aggregate.
 *
 * <p>The store is versitygw behind a proxy that gives reads the latency of S3: 30 ms and 20 ms a
 * MiB, a fifth more or less. Before each cold round the sidecar is killed, what it has cached on
 * disk is deleted, and it is started. All systems are then queried by new catalogs, whose caches in
 * memory and on disk are empty. Code is compiled: Trino's by earlier catalogs, the sidecar's by a
 * table of other rows. A table of 25 rows is read from each catalog before, so that connections are
 * open. {@code raptorx} has queries whose code is cold, too. Warm scans are without results of
 * earlier queries, which is the figure that counts, and with them. The rounds are interleaved, in
 * an order that rotates. Results are compared.
 */
public final class ColdScanBenchmark implements Benchmark {
    /**
     * Background work of a scan, such as writing pages to disk, ends in this time: it must not slow
     * the next scan, which may be another system's.
     */
    private static final Duration PAUSE = Duration.ofMillis(700);

    /** The catalogs that are queried first, and again and again. */
    private static final String WARM = "warm";

    /** Other rows, whose scans compile the code of a sidecar that was started just now. */
    private static final String OTHER = "lineitem_other";

    private static final int OTHER_SCANS = 20;

    private static final String WARM_CACHED = "warm, cached results";

    @Override
    public String name() {
        return "cold-scan";
    }

    @Override
    public String description() {
        return "TPC-H Q6 through Trino from S3 with its latency, cold and warm, beside Iceberg with and without fs.cache";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        int coldRounds = options.quick() ? 1 : 7;
        int warmUpRounds = options.quick() ? 1 : 12;
        int warmRounds = options.quick() ? 2 : 11;
        List<ScannedTable> tables =
                Arrays.stream(ScannedTable.values())
                        .filter(table -> table.label().contains(options.only().orElse("")))
                        .toList();
        if (tables.isEmpty()) {
            throw new IllegalArgumentException(
                    "Expected part of a table's name, one of %s, found: %s"
                            .formatted(
                                    Arrays.stream(ScannedTable.values())
                                            .map(ScannedTable::label)
                                            .toList(),
                                    options.only().orElse("")));
        }
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            catalogs.configureSidecar();
            configureTrino(catalogs, warmUpRounds + coldRounds);
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, catalogs, tables, scale, metrics);
                List<List<Object>> expected = trino.query(query(tables.getLast(), WARM));
                Scans scans = new Scans(trino, proxy, servers, tables, expected);
                for (int round = 0; round < warmUpRounds; round++) {
                    touch(trino, tables, round);
                    scans.round(String.valueOf(round));
                }
                for (int round = 0; round < warmUpRounds; round++) {
                    scans.round(WARM);
                }
                scans.pauses(PAUSE).forget();
                for (int round = warmUpRounds; round < warmUpRounds + coldRounds; round++) {
                    proxy.newRound(InjectedDelays.NONE);
                    startEmpty(servers, trino);
                    touch(trino, tables, round);
                    proxy.newRound(InjectedDelays.S3);
                    scans.round(String.valueOf(round));
                }
                scans.report("cold", metrics);
                scans.checkAllWereCold();
                scans.pauses(Duration.ZERO);
                for (boolean isCached : new boolean[] {false, true}) {
                    trino.set("stele_" + WARM, "fragment_cache_enabled", String.valueOf(isCached));
                    for (int round = -2; round < warmRounds; round++) {
                        if (round == 0) {
                            scans.forget();
                        }
                        scans.round(WARM);
                    }
                    scans.report(isCached ? WARM_CACHED : WARM, metrics);
                }
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", TPC-H " + scale + ", reads of 30 ms + 20 ms/MiB",
                metrics.asMap(),
                tables.size() == ScannedTable.values().length
                        ? List.of(
                                target("cold", 2.0, metrics),
                                target(WARM, 1.0, metrics),
                                target(WARM_CACHED, 1.0, metrics))
                        : List.of());
    }

    private static Target target(String phase, double times, Metrics metrics) {
        double best = Double.POSITIVE_INFINITY;
        for (ScannedTable table : ScannedTable.values()) {
            if (!table.isStele()) {
                best = Math.min(best, metrics.value(Scans.millis(phase, table)));
            }
        }
        double ratio = best / metrics.value(Scans.millis(phase, ScannedTable.STELE));
        return Target.atLeast(phase + ": speed, times the best Iceberg", times, ratio);
    }

    /** Catalogs for {@code rounds} rounds, each with caches of its own, and the warm ones. */
    private static void configureTrino(S3Catalogs catalogs, int rounds) throws IOException {
        for (int round = -1; round < rounds; round++) {
            String number = round < 0 ? WARM : String.valueOf(round);
            catalogs.write("stele_" + number, catalogs.stele());
            catalogs.write("iceberg_" + number, catalogs.iceberg());
            String cached = "iceberg_fs_cache_" + number;
            catalogs.write(cached, catalogs.cachedIceberg(cached));
        }
    }

    /** Only code is warm in the sidecar then. */
    private static void startEmpty(SteleServers servers, TrinoSession trino)
            throws SQLException, IOException, InterruptedException {
        servers.killSidecar();
        servers.emptySidecarCache();
        servers.startSidecar();
        trino.set("stele_" + WARM, "fragment_cache_enabled", "false");
        for (int scan = 0; scan < OTHER_SCANS; scan++) {
            trino.query(TpchQueries.Q6.replace("%s.lineitem", ScannedTable.STELE.in(WARM, OTHER)));
        }
    }

    private static void load(
            TrinoSession trino,
            S3Catalogs catalogs,
            List<ScannedTable> tables,
            String scale,
            Metrics metrics)
            throws SQLException {
        trino.update("CREATE SCHEMA stele_warm." + ScannedTable.SCHEMA);
        trino.update(
                "CREATE SCHEMA iceberg_warm.%s WITH (location = '%s')"
                        .formatted(
                                ScannedTable.SCHEMA,
                                catalogs.icebergLocation(ScannedTable.SCHEMA)));
        Set<String> loaded = new HashSet<>();
        for (ScannedTable table : tables) {
            if (loaded.add(table.table())) { // those with fs.cache have the tables of those without
                load(trino, table, scale, metrics);
            }
        }
        for (ScannedTable table : List.of(ScannedTable.STELE, ScannedTable.ICEBERG_PARQUET)) {
            trino.update(
                    "CREATE TABLE %s AS SELECT * FROM tpch.tiny.nation"
                            .formatted(table.in(WARM, "nation")));
        }
        trino.update(
                "CREATE TABLE %s AS SELECT * FROM tpch.tiny.lineitem"
                        .formatted(ScannedTable.STELE.in(WARM, OTHER)));
        for (String table : List.of("nation", OTHER)) {
            trino.flush(ScannedTable.STELE.in(WARM, table));
        }
    }

    private static void load(TrinoSession trino, ScannedTable table, String scale, Metrics metrics)
            throws SQLException {
        long start = System.nanoTime();
        trino.update(
                "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.lineitem"
                        .formatted(table.in(WARM, table.table()), table.properties(), scale));
        if (table.isStele()) {
            trino.flush(table.in(WARM, table.table()));
        }
        metrics.put("load " + table.label() + " s", (System.nanoTime() - start) / 1e9);
    }

    /** Opens connections, and runs the first-query work of catalogs. */
    private static void touch(TrinoSession trino, List<ScannedTable> tables, int round)
            throws SQLException {
        for (ScannedTable table : tables) {
            trino.query(
                    "SELECT sum(n_regionkey) FROM " + table.in(Integer.toString(round), "nation"));
        }
    }

    private static String query(ScannedTable table, String catalogNumber) {
        return TpchQueries.Q6.replace("%s.lineitem", table.in(catalogNumber, table.table()));
    }

    /** Queries all tables in rounds. Confined to one thread. */
    private static final class Scans {
        private static final String MILLIS = "median ms";
        private static final String REQUESTS = "requests";

        private final TrinoSession trino;
        private final DelayingS3Proxy proxy;
        private final SteleServers servers;
        private final List<ScannedTable> order;
        private final List<List<Object>> expected;

        /** By table and name of what is measured, a value a round. */
        private final Map<ScannedTable, Map<String, List<Double>>> measured =
                new EnumMap<>(ScannedTable.class);

        private Duration pause = Duration.ZERO;

        Scans(
                TrinoSession trino,
                DelayingS3Proxy proxy,
                SteleServers servers,
                List<ScannedTable> tables,
                List<List<Object>> expected) {
            this.trino = trino;
            this.proxy = proxy;
            this.servers = servers;
            this.order = new ArrayList<>(tables);
            this.expected = expected;
        }

        /** From now on, a pause follows each scan. */
        Scans pauses(Duration pause) {
            this.pause = pause;
            return this;
        }

        /** Drops what was measured before. */
        void forget() {
            measured.clear();
        }

        /** Queries all tables by the catalogs with this number. */
        void round(String catalogNumber) throws SQLException, IOException, InterruptedException {
            for (ScannedTable table : order) {
                scan(table, catalogNumber);
            }
            Collections.rotate(order, 1);
        }

        private void scan(ScannedTable table, String catalogNumber)
                throws SQLException, IOException, InterruptedException {
            proxy.takeSpans(); // spans of background reads
            long readsBefore = proxy.reads();
            long bytesBefore = proxy.sentBytes();
            long cpuBefore = cpuNanos();
            long start = System.nanoTime();
            List<List<Object>> found = trino.query(query(table, catalogNumber));
            add(table, MILLIS, (System.nanoTime() - start) / 1e6);
            add(table, "CPU ms", (cpuNanos() - cpuBefore) / 1e6);
            addSpans(table, proxy.takeSpans().stream().filter(RequestSpan::isRead).toList(), start);
            add(table, REQUESTS, (double) (proxy.reads() - readsBefore));
            add(table, "MiB", (proxy.sentBytes() - bytesBefore) / (double) (1 << 20));
            if (!pause.isZero()) {
                Thread.sleep(pause);
                add(table, "CPU ms, what follows included", (cpuNanos() - cpuBefore) / 1e6);
            }
            if (!TpchQueries.agree(expected, found)) {
                throw new IllegalStateException(
                        "Expected Q6 of %s to give %s, found %s"
                                .formatted(table.label(), expected, found));
            }
        }

        private long cpuNanos() throws IOException {
            return ProcessCpu.nanos(servers.trinoPid()) + ProcessCpu.nanos(servers.sidecarPid());
        }

        /** From the first request to the end of the last one, and how many were under way then. */
        private void addSpans(ScannedTable table, List<RequestSpan> spans, long queryStart) {
            if (spans.isEmpty()) {
                add(table, "first request after ms", 0);
                add(table, "first to last byte ms", 0);
                add(table, "requests in flight", 0);
                return;
            }
            long first = Long.MAX_VALUE;
            long last = Long.MIN_VALUE;
            long sum = 0;
            for (RequestSpan span : spans) {
                first = Math.min(first, span.startNanos() - queryStart);
                last = Math.max(last, span.endNanos() - queryStart);
                sum += span.endNanos() - span.startNanos();
            }
            add(table, "first request after ms", first / 1e6);
            add(table, "first to last byte ms", (last - first) / 1e6);
            add(table, "requests in flight", (double) sum / (last - first));
        }

        /** Fails if data was in memory in a cold round. */
        void checkAllWereCold() {
            measured.forEach(
                    (table, values) -> {
                        List<Double> counts = values.get(REQUESTS);
                        if (Collections.min(counts) < 1) {
                            throw new IllegalStateException(
                                    "Expected cold scans of %s to read from the store, found %s requests"
                                            .formatted(table.label(), counts));
                        }
                    });
        }

        private void add(ScannedTable table, String name, double value) {
            measured.computeIfAbsent(table, _ -> new LinkedHashMap<>())
                    .computeIfAbsent(name, _ -> new ArrayList<>())
                    .add(value);
        }

        static String millis(String phase, ScannedTable table) {
            return metric(phase, table, MILLIS);
        }

        void report(String phase, Metrics metrics) {
            measured.forEach(
                    (table, values) -> {
                        List<Double> times = values.get(MILLIS);
                        metrics.put(metric(phase, table, "min ms"), Collections.min(times));
                        metrics.put(metric(phase, table, "max ms"), Collections.max(times));
                        values.forEach(
                                (name, found) ->
                                        metrics.put(
                                                metric(phase, table, name), Medians.median(found)));
                    });
        }

        private static String metric(String phase, ScannedTable table, String name) {
            return "%s %s %s".formatted(phase, table.label(), name);
        }
    }
}
