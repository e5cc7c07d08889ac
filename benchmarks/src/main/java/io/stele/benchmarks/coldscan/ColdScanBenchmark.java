package io.stele.benchmarks.coldscan;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.DelayingS3Proxy;
import io.stele.benchmarks.servers.InjectedDelays;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TpchQueries;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * TPC-H Q6 over lineitem on S3, in Stele and in Iceberg with and without Trino's {@code fs.cache},
 * in one Trino server: cold, and again and again.
 *
 * <p>The store is versitygw behind a proxy that lets reads take as long as those of S3: 30 ms and
 * 20 ms a MiB, a fifth more or less. Each cold round asks catalogs that were not asked yet, whose
 * caches are empty; a table of 25 rows is read from each before, so that connections and code are
 * there. The rounds are interleaved, in an order that rotates. Results are compared.
 */
public final class ColdScanBenchmark implements Benchmark {
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
        int coldRounds = options.quick() ? 1 : 5;
        int warmUpRounds = options.quick() ? 1 : 12;
        int warmRounds = options.quick() ? 2 : 11;
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs onS3 = new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            onS3.configureSidecar();
            ColdCatalogs catalogs = new ColdCatalogs(onS3);
            catalogs.configureTrino(coldRounds);
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, catalogs, scale, metrics);
                List<List<Object>> expected =
                        trino.query(query(ScannedTable.ICEBERG_PARQUET, ColdCatalogs.WARM));
                Scans scans = new Scans(trino, proxy, servers.trinoPid(), expected);
                scans.rounds(warmUpRounds, _ -> ColdCatalogs.WARM);
                touch(trino, coldRounds);
                proxy.newRound(InjectedDelays.S3);
                scans.rounds(coldRounds, String::valueOf).report("cold", metrics);
                scans.checkAllWereCold();
                scans.rounds(2, _ -> ColdCatalogs.WARM);
                scans.rounds(warmRounds, _ -> ColdCatalogs.WARM).report("warm", metrics);
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", TPC-H " + scale + ", reads of 30 ms + 20 ms/MiB",
                metrics.asMap(),
                List.of(target("cold", 2.0, metrics), target("warm", 1.0, metrics)));
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

    private static void load(
            TrinoSession trino, ColdCatalogs catalogs, String scale, Metrics metrics)
            throws SQLException {
        trino.update("CREATE SCHEMA stele_warm." + ScannedTable.SCHEMA);
        trino.update(
                "CREATE SCHEMA iceberg_warm.%s WITH (location = '%s')"
                        .formatted(ScannedTable.SCHEMA, catalogs.icebergLocation()));
        load(trino, ScannedTable.STELE, "", scale, metrics);
        load(trino, ScannedTable.ICEBERG_PARQUET, " WITH (format = 'PARQUET')", scale, metrics);
        load(trino, ScannedTable.ICEBERG_ORC, " WITH (format = 'ORC')", scale, metrics);
        for (ScannedTable table : List.of(ScannedTable.STELE, ScannedTable.ICEBERG_PARQUET)) {
            trino.update(
                    "CREATE TABLE %s AS SELECT * FROM tpch.tiny.nation"
                            .formatted(table.in(ColdCatalogs.WARM, "nation")));
        }
    }

    private static void load(
            TrinoSession trino,
            ScannedTable table,
            String properties,
            String scale,
            Metrics metrics)
            throws SQLException {
        long start = System.nanoTime();
        trino.update(
                "CREATE TABLE %s%s AS SELECT * FROM tpch.%s.lineitem"
                        .formatted(table.in(ColdCatalogs.WARM, table.table()), properties, scale));
        metrics.put("load " + table.label() + " s", (System.nanoTime() - start) / 1e9);
    }

    /** Connections, and what catalogs do when they are asked first. */
    private static void touch(TrinoSession trino, int coldRounds) throws SQLException {
        for (int round = 0; round < coldRounds; round++) {
            for (ScannedTable table : ScannedTable.values()) {
                trino.query(
                        "SELECT sum(n_regionkey) FROM "
                                + table.in(Integer.toString(round), "nation"));
            }
        }
    }

    private static String query(ScannedTable table, String catalogNumber) {
        return TpchQueries.Q6.replace("%s.lineitem", table.in(catalogNumber, table.table()));
    }

    /** Asks all tables in rounds. Confined to one thread. */
    private static final class Scans {
        private final TrinoSession trino;
        private final DelayingS3Proxy proxy;
        private final long trinoPid;
        private final List<List<Object>> expected;
        private final Map<ScannedTable, List<Double>> millis = new LinkedHashMap<>();
        private final Map<ScannedTable, List<Double>> requests = new LinkedHashMap<>();
        private final Map<ScannedTable, List<Double>> mebibytes = new LinkedHashMap<>();
        private final Map<ScannedTable, List<Double>> cpuMillis = new LinkedHashMap<>();
        private final Map<ScannedTable, List<Double>> readMillis = new LinkedHashMap<>();
        private final Map<ScannedTable, List<Double>> inFlight = new LinkedHashMap<>();

        Scans(
                TrinoSession trino,
                DelayingS3Proxy proxy,
                long trinoPid,
                List<List<Object>> expected) {
            this.trino = trino;
            this.proxy = proxy;
            this.trinoPid = trinoPid;
            this.expected = expected;
        }

        /** Which catalogs a round asks. */
        private interface CatalogsOfRound {
            String number(int round);
        }

        Scans rounds(int rounds, CatalogsOfRound catalogs) throws SQLException, IOException {
            for (Map<ScannedTable, List<Double>> values :
                    List.of(millis, requests, mebibytes, cpuMillis, readMillis, inFlight)) {
                values.clear();
            }
            List<ScannedTable> order = new ArrayList<>(Arrays.asList(ScannedTable.values()));
            for (int round = 0; round < rounds; round++) {
                for (ScannedTable table : order) {
                    scan(table, catalogs.number(round));
                }
                Collections.rotate(order, 1);
            }
            return this;
        }

        private void scan(ScannedTable table, String catalogNumber)
                throws SQLException, IOException {
            proxy.takeSpans(); // those of whoever read in the background
            long readsBefore = proxy.reads();
            long bytesBefore = proxy.sentBytes();
            long cpuBefore = ProcessCpu.nanos(trinoPid);
            long start = System.nanoTime();
            List<List<Object>> found = trino.query(query(table, catalogNumber));
            add(millis, table, (System.nanoTime() - start) / 1e6);
            add(cpuMillis, table, (ProcessCpu.nanos(trinoPid) - cpuBefore) / 1e6);
            addSpans(table, proxy.takeSpans(), start);
            add(requests, table, (double) (proxy.reads() - readsBefore));
            add(mebibytes, table, (proxy.sentBytes() - bytesBefore) / (double) (1 << 20));
            if (!TpchQueries.agree(expected, found)) {
                throw new IllegalStateException(
                        "Expected Q6 of %s to give %s, found %s"
                                .formatted(table.label(), expected, found));
            }
        }

        /** From the first request to the end of the last one, and how many were under way then. */
        private void addSpans(
                ScannedTable table, List<DelayingS3Proxy.ReadSpan> spans, long queryStart) {
            if (spans.isEmpty()) {
                add(readMillis, table, 0);
                add(inFlight, table, 0);
                return;
            }
            long first = Long.MAX_VALUE;
            long last = Long.MIN_VALUE;
            long sum = 0;
            for (DelayingS3Proxy.ReadSpan span : spans) {
                first = Math.min(first, span.startNanos() - queryStart);
                last = Math.max(last, span.endNanos() - queryStart);
                sum += span.endNanos() - span.startNanos();
            }
            add(readMillis, table, (last - first) / 1e6);
            add(inFlight, table, (double) sum / (last - first));
        }

        /** What was in memory on any way must not count. */
        void checkAllWereCold() {
            requests.forEach(
                    (table, counts) -> {
                        if (Collections.min(counts) < 1) {
                            throw new IllegalStateException(
                                    "Expected cold scans of %s to read from the store, found %s requests"
                                            .formatted(table.label(), counts));
                        }
                    });
        }

        private static void add(
                Map<ScannedTable, List<Double>> values, ScannedTable table, double value) {
            values.computeIfAbsent(table, _ -> new ArrayList<>()).add(value);
        }

        static String millis(String phase, ScannedTable table) {
            return phase + " " + table.label() + " median ms";
        }

        void report(String phase, Metrics metrics) {
            for (ScannedTable table : ScannedTable.values()) {
                List<Double> times = millis.getOrDefault(table, List.of());
                metrics.put(millis(phase, table), Medians.median(times));
                String name = phase + " " + table.label();
                metrics.put(name + " min ms", Collections.min(times));
                metrics.put(name + " max ms", Collections.max(times));
                metrics.put(
                        name + " requests",
                        Medians.median(requests.getOrDefault(table, List.of())));
                metrics.put(
                        name + " MiB", Medians.median(mebibytes.getOrDefault(table, List.of())));
                metrics.put(
                        name + " CPU ms", Medians.median(cpuMillis.getOrDefault(table, List.of())));
                metrics.put(
                        name + " first to last byte ms",
                        Medians.median(readMillis.getOrDefault(table, List.of())));
                metrics.put(
                        name + " requests in flight",
                        Medians.median(inFlight.getOrDefault(table, List.of())));
            }
        }
    }
}
