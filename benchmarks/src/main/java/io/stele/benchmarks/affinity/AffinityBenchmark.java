package io.stele.benchmarks.affinity;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A benchmark of scans of one table on S3 by a coordinator and three workers, each a process with a
 * data page cache of its own: cold, again, without one of the workers, and after its return. Beside
 * files with preferred workers, which is the default, the same scans without them, so that any
 * worker reads any file: another catalog with other caches in the same servers, interleaved.
 *
 * <p>The table is lineitem of TPC-H in 64 shards. The store is versitygw behind a proxy that gives
 * reads the latency of S3: 30 ms and 20 ms a MiB, a fifth more or less. The caches of decoded
 * columns and filtered rows and aggregation in the sidecar are off: they would hide what the data
 * page cache has. Another catalog writes the table, so that no worker has metadata of its files.
 * Results are compared.
 */
public final class AffinityBenchmark implements Benchmark {
    static final String SCHEMA = "bench";

    private static final String TABLE = SCHEMA + ".lineitem";
    private static final int SHARDS = 64;
    private static final Duration QUIET = Duration.ofMillis(700);

    /** Some columns of all rows. Groups do not have the distribution key: no scan by shard. */
    private static final String QUERY =
            "SELECT l_returnflag, l_linestatus, count(*), sum(l_quantity), max(l_extendedprice), max(l_comment) FROM %s.lineitem GROUP BY 1, 2 ORDER BY 1, 2";

    private static final String COLD = "cold";
    private static final String AGAIN = "again";
    private static final String WITHOUT = "without a worker";
    private static final String WITHOUT_AGAIN = "without a worker again";
    private static final String RETURNED = "after its return";

    @Override
    public String name() {
        return "affinity";
    }

    @Override
    public String description() {
        return "scans by three workers from S3 with its latency: hits by worker, and what moves when one leaves and returns, beside random placement";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "tiny" : "sf1";
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            configure(catalogs);
            servers.startBoth();
            String leaving = servers.workerNames().getLast();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                load(trino, scale);
                proxy.newRound(InjectedDelays.S3);
                Scans scans = new Scans(trino, proxy, metrics);
                scans.round(COLD);
                scans.round(AGAIN);
                servers.stopWorker(leaving);
                scans.round(WITHOUT);
                scans.round(WITHOUT_AGAIN);
                servers.startWorker(leaving);
                scans.round(RETURNED);
                return new BenchmarkReport(
                        name(),
                        machine + ", TPC-H " + scale + ", 3 workers, reads of 30 ms + 20 ms/MiB",
                        metrics.asMap(),
                        scans.targets(run.value(leaving + ".id")));
            }
        }
    }

    private static void configure(S3Catalogs catalogs) throws IOException {
        catalogs.configureSidecar();
        catalogs.write("stele", catalogs.stele());
        for (Placement placement : Placement.values()) {
            Map<String, String> properties = new TreeMap<>(catalogs.stele());
            // Each worker has a folder of its own for them, in its data directory
            properties.put("stele.cache.enabled", "true");
            properties.put("stele.cache.max-sizes", "2GB");
            properties.put("stele.scan.column-cache-size", "0B");
            properties.put("stele.fragment-cache.enabled", "false");
            properties.put("stele.aggregation-pushdown.enabled", "false");
            catalogs.write(placement.label(), properties);
        }
    }

    private static void load(TrinoSession trino, String scale) throws SQLException {
        trino.update("CREATE SCHEMA stele." + SCHEMA);
        trino.update(
                "CREATE TABLE stele.%s WITH (primary_key = ARRAY['l_orderkey', 'l_linenumber'], shard_count = %d) AS SELECT * FROM tpch.%s.lineitem"
                        .formatted(TABLE, SHARDS, scale));
        trino.update(
                "CREATE TABLE stele.%s.nation AS SELECT * FROM tpch.tiny.nation".formatted(SCHEMA));
        trino.update(
                "SET SESSION %s.preferred_workers_enabled = false"
                        .formatted(Placement.RANDOM.label()));
        for (Placement placement : Placement.values()) {
            // Opens connections, and runs the first-query work of catalogs
            trino.query("SELECT sum(n_regionkey) FROM %s.nation".formatted(placement.schema()));
        }
    }

    /** One scan of each placement after the other. Confined to one thread. */
    private static final class Scans {
        private final TrinoSession trino;
        private final DelayingS3Proxy proxy;
        private final Metrics metrics;
        private final Map<Placement, Map<String, WorkerReads>> cold =
                new EnumMap<>(Placement.class);
        private final List<List<Object>> expected = new ArrayList<>();

        Scans(TrinoSession trino, DelayingS3Proxy proxy, Metrics metrics) {
            this.trino = trino;
            this.proxy = proxy;
            this.metrics = metrics;
        }

        void round(String phase) throws SQLException, IOException {
            for (Placement placement : Placement.values()) {
                Map<String, WorkerReads> before = WorkerReads.of(trino, placement.label(), TABLE);
                long bytes = proxy.sentBytes();
                long requests = proxy.reads();
                long start = System.nanoTime();
                List<List<Object>> found = trino.query(QUERY.formatted(placement.schema()));
                put(placement, phase, "ms", (System.nanoTime() - start) / 1e6);
                // What workers read ahead, and write to their disks
                proxy.awaitIdle(QUIET.toNanos());
                put(placement, phase, "MiB from the store", mib(proxy.sentBytes() - bytes));
                put(placement, phase, "requests", (double) (proxy.reads() - requests));
                report(
                        placement,
                        phase,
                        WorkerReads.between(
                                before, WorkerReads.of(trino, placement.label(), TABLE)));
                check(placement, phase, found);
            }
        }

        private void check(Placement placement, String phase, List<List<Object>> found) {
            if (expected.isEmpty()) {
                expected.addAll(found);
            }
            if (found.isEmpty() || !found.equals(expected)) {
                throw new IllegalStateException(
                        "Expected the scan %s, %s, to give %s, found %s"
                                .formatted(placement.label(), phase, expected, found));
            }
        }

        private void report(Placement placement, String phase, Map<String, WorkerReads> reads) {
            if (phase.equals(COLD)) {
                cold.put(placement, reads);
                put(placement, phase, "bytes of the busiest worker, times the mean", spread(reads));
            }
            put(placement, phase, "MiB fetched by workers", mib(fetched(reads)));
            new TreeMap<>(reads)
                    .forEach((node, ofNode) -> put(placement, phase, rate(node), ofNode.hitRate()));
            put(
                    placement,
                    phase,
                    "lowest hit rate",
                    reads.values().stream().mapToDouble(WorkerReads::hitRate).min().orElse(0));
        }

        private static String rate(String node) {
            return "hit rate of " + node;
        }

        private static double spread(Map<String, WorkerReads> reads) {
            long most =
                    reads.values().stream().mapToLong(WorkerReads::fetchedBytes).max().orElse(0);
            return (double) most * reads.size() / Math.max(1, fetched(reads));
        }

        private static long fetched(Map<String, WorkerReads> reads) {
            return reads.values().stream().mapToLong(WorkerReads::fetchedBytes).sum();
        }

        private static double mib(long bytes) {
            return (double) bytes / (1 << 20);
        }

        private void put(Placement placement, String phase, String what, double value) {
            metrics.put(metric(placement, phase, what), value);
        }

        private static String metric(Placement placement, String phase, String what) {
            return "%s, %s: %s".formatted(placement.label(), phase, what);
        }

        private double value(String phase, String what) {
            return metrics.value(metric(Placement.PREFERRED, phase, what));
        }

        /**
         * @param gone node id of the worker that left and returned
         */
        List<Target> targets(String gone) {
            String fetched = "MiB fetched by workers";
            double all = value(COLD, fetched);
            double own =
                    mib(
                            requireNonNull(cold.get(Placement.PREFERRED))
                                    .getOrDefault(gone, new WorkerReads(0, 0, 0))
                                    .fetchedBytes());
            return List.of(
                    Target.atMost(
                            "cold: bytes of the busiest worker, times the mean",
                            1.3,
                            value(COLD, "bytes of the busiest worker, times the mean")),
                    Target.atLeast("again: lowest hit rate", 1.0, value(AGAIN, "lowest hit rate")),
                    Target.atMost(
                            "again: bytes from the store, part of the cold ones",
                            0.001,
                            value(AGAIN, fetched) / all),
                    Target.atMost(
                            "without a worker: bytes from the store, times what it had",
                            1.2,
                            value(WITHOUT, fetched) / own),
                    Target.atMost(
                            "after its return: bytes from the store, part of the cold ones",
                            0.001,
                            value(RETURNED, fetched) / all));
        }
    }
}
