package io.stele.benchmarks.flink;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.changes.ChangePhases;
import io.stele.benchmarks.changes.ChangesBenchmark;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.FlinkJobs;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.BulkWriter;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A benchmark of Flink jobs with Stele on a standalone cluster, whose processes share this
 * machine's cores with the sidecar. A job's rate is its rows divided by the time from RUNNING to
 * FINISHED. It is compared with the same job into a sink that drops its rows, into a table of
 * Apache Paimon by Paimon's own sink on the same cluster, and with the Java client that writes such
 * rows by itself.
 */
public final class FlinkBenchmark implements Benchmark {
    /** 1 KB of text for each row, which is not the same for all. */
    private static final String PAYLOAD = "LPAD(CAST(id AS STRING), 1000, 'stele')";

    private static final int TEXT = 1000;
    private static final int KEYS = 10_000_000;
    private static final int SLOTS = 8;
    private static final int CORES = 2;
    private static final int CHECKPOINT_MILLIS = 1_000;
    private static final Map<String, String> SETTINGS =
            Map.of(
                    "taskmanager.numberOfTaskSlots", Integer.toString(SLOTS),
                    "taskmanager.memory.task.heap.size", "1800m",
                    "taskmanager.memory.network.min", "64m",
                    "taskmanager.memory.network.max", "64m");

    /**
     * As much heap as the sidecar has, and all compilers: Paimon's sink sorts, encodes and merges
     * there, which is the sidecar's work for Stele's.
     */
    private static final List<String> TASK_MANAGER = List.of("-Xmx2g", "-XX:+UseG1GC");

    /** Rows of a key replace each other, in the table and not in Flink's state. */
    private static final String REPLACING = " ON CONFLICT DO DEDUPLICATE;\n";

    private static final String NEWEST =
            "SELECT CAST(to_unixtime(max(seen)) * 1000 AS bigint) FROM stele.bench.fresh";
    private static final String DROPPED = "sink that drops its rows: rows/s";
    private static final String UPSERT = "upsert exactly once: rows/s";
    private static final String PEER = "upsert exactly once: rows/s of Paimon's sink";
    private static final String LEAN_PEER = PEER + ", write-only";
    private static final String APPEND_RATIO = "append at least once: times the Java client";
    private static final String LOOKUPS = "lookup join: lookups/s";

    @Override
    public String name() {
        return "flink";
    }

    @Override
    public String description() {
        return "Jobs of Flink: upserts exactly once beside Paimon's sink, appends beside the Java client, lookup joins";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        Optional<Path> lake =
                FlinkJobs.hasPaimon(run)
                        ? Optional.of(run.path("state").resolve("flink-lake"))
                        : Optional.empty();
        try (SteleServers servers = new SteleServers(run)) {
            servers.startBoth();
            try (SteleClient client = Clients.stele(run);
                    FlightClient flight = Clients.flight(run);
                    TrinoSession trino = TrinoSession.connect(servers.trinoUri());
                    FlinkJobs jobs = FlinkJobs.start(run, SETTINGS, TASK_MANAGER, lake)) {
                new Phases(options, jobs, lake.isPresent(), client, trino, metrics).measure();
                new ChangePhases(options.quick(), client, flight, metrics).measure();
            }
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets(metrics));
    }

    private static List<Target> targets(Metrics metrics) {
        List<Target> targets = new ArrayList<>(ofJobs(metrics));
        targets.addAll(ChangesBenchmark.targets(metrics));
        return targets;
    }

    /** Without Paimon's connector, the row of its sink has no value. */
    private static List<Target> ofJobs(Metrics metrics) {
        double upserts = measured(metrics, UPSERT);
        double peer = Math.max(measured(metrics, PEER), measured(metrics, LEAN_PEER));
        return List.of(
                Target.atLeast(UPSERT + ", times Paimon's sink", 2, upserts / peer),
                Target.atLeast(UPSERT + " a core", 9_066, upserts / CORES),
                Target.atLeast(APPEND_RATIO, 0.8, measured(metrics, APPEND_RATIO)),
                Target.atMost(freshness(false), 1_000, measured(metrics, freshness(false))),
                Target.atMost(
                        freshness(true),
                        CHECKPOINT_MILLIS + 1_000,
                        measured(metrics, freshness(true))),
                Target.atLeast(LOOKUPS, 50_000, measured(metrics, LOOKUPS)));
    }

    private static double measured(Metrics metrics, String name) {
        return metrics.asMap().getOrDefault(name, Double.NaN);
    }

    private static String freshness(boolean exactlyOnce) {
        return "visible in Trino, %s: p99 ms"
                .formatted(exactlyOnce ? "exactly once" : "at least once");
    }

    /** All measurements of a run, one after the other. Confined to one thread. */
    private record Phases(
            BenchmarkOptions options,
            FlinkJobs jobs,
            boolean besidePaimon,
            SteleClient client,
            TrinoSession trino,
            Metrics metrics) {
        void measure() throws Exception {
            int rows = options.quick() ? 20_000 : 600_000;
            int rounds = options.quick() ? 1 : 3;
            jobs.run("tables", "CREATE DATABASE IF NOT EXISTS s.bench;\n" + tables());
            if (besidePaimon) {
                jobs.run("lake", "CREATE DATABASE IF NOT EXISTS lake.bench;\n" + peerTables());
            }
            upserts(rows, rounds);
            appends(rows, rounds);
            for (boolean exactlyOnce : new boolean[] {false, true}) {
                fresh(exactlyOnce);
            }
            lookups(options.quick() ? 20_000 : 1_000_000, rounds);
        }

        private static String tables() {
            return """
                    CREATE TABLE s.bench.upserted (id BIGINT, payload STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('shard-count' = '2');
                    CREATE TABLE s.bench.appended (id BIGINT, payload STRING) WITH ('shard-count' = '2');
                    CREATE TABLE s.bench.appended_by_client (id BIGINT, payload STRING) WITH ('shard-count' = '2');
                    CREATE TABLE s.bench.fresh (id BIGINT, seen TIMESTAMP_LTZ(3), payload STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('shard-count' = '2', 'orientation' = 'row');
                    CREATE TABLE s.bench.customers (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('shard-count' = '2', 'orientation' = 'row');
                    """;
        }

        /** As Paimon is by default, and with all compactions left to a job of their own. */
        private static String peerTables() {
            return """
                    CREATE TABLE lake.bench.upserted (id BIGINT, payload STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '2');
                    CREATE TABLE lake.bench.upserted_only (id BIGINT, payload STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('bucket' = '2', 'write-only' = 'true');
                    """;
        }

        private void upserts(int rows, int rounds) throws Exception {
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            Map<String, String> targets = new LinkedHashMap<>();
            targets.put(DROPPED, "dropped");
            targets.put(UPSERT, "s.bench.upserted");
            if (besidePaimon) {
                targets.put(PEER, "lake.bench.upserted");
                targets.put(LEAN_PEER, "lake.bench.upserted_only");
            }
            List<Map.Entry<String, String>> order = new ArrayList<>(targets.entrySet());
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<String, String> target : order) {
                    rates.computeIfAbsent(target.getKey(), _ -> new ArrayList<>())
                            .add(upsertRate(target.getValue(), rows));
                }
                Collections.rotate(order, 1); // what one leaves to be merged costs the next one
            }
            rates.forEach((name, measured) -> metrics.put(name, Medians.median(measured)));
        }

        private double upsertRate(String table, int rows) throws Exception {
            return rate(
                    "upserts",
                    CORES,
                    rows,
                    "SET 'execution.checkpointing.interval' = '%d ms';\n"
                                    .formatted(CHECKPOINT_MILLIS)
                            + source(rows, KEYS)
                            + "CREATE TEMPORARY TABLE dropped (id BIGINT, payload STRING) WITH ('connector' = 'blackhole');\n"
                            + "INSERT INTO %s SELECT id, %s FROM source".formatted(table, PAYLOAD)
                            // Paimon's sink takes inserted rows as upserts, and no such clause
                            + (table.startsWith("s.") ? REPLACING : ";\n"));
        }

        private void appends(int rows, int rounds) throws Exception {
            List<Double> ratios = new ArrayList<>();
            List<Double> written = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                double ofClient = clientRate(rows);
                double ofJob =
                        rate(
                                "appends",
                                CORES,
                                rows,
                                source(rows, KEYS)
                                        + "INSERT INTO s.bench.appended /*+ OPTIONS('sink.delivery-guarantee' = 'at-least-once') */ SELECT id, %s FROM source;\n"
                                                .formatted(PAYLOAD));
                written.add(ofJob);
                ratios.add(ofJob / ofClient);
            }
            metrics.put("append at least once: rows/s", Medians.median(written));
            metrics.put(APPEND_RATIO, Medians.median(ratios));
        }

        /** As the sink does: a writer, which batches by itself. */
        private double clientRate(int rows) {
            String text = "stele".repeat(TEXT / 5).substring(19);
            long start = System.nanoTime();
            try (TableWriter writer = client.writer("bench", "appended_by_client")) {
                for (long id = 0; id < rows; id++) {
                    writer.write(id, text + (1_000_000_000_000_000_000L + id));
                }
                writer.flush();
            }
            return rows * 1e9 / (System.nanoTime() - start);
        }

        /**
         * The age of the newest row that Trino sees, at the end of each query, while a job writes
         * half as many rows a second as a job without a limit did.
         */
        private void fresh(boolean exactlyOnce) throws Exception {
            int perSecond = Math.max(1, (int) (metrics.value(UPSERT) / 2));
            int seconds = options.quick() ? 15 : 60;
            for (int i = 0; i < 3; i++) {
                trino.query(NEWEST); // the first ones take as long as a quick job
            }
            String name = exactlyOnce ? "exactly-once" : "at-least-once";
            long submitted = System.currentTimeMillis();
            String job =
                    submit(
                            "fresh_" + name,
                            CORES,
                            "SET 'execution.checkpointing.interval' = '%d ms';\n"
                                            .formatted(CHECKPOINT_MILLIS)
                                    + "CREATE TEMPORARY TABLE source (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '%d', 'number-of-rows' = '%d', 'fields.id.min' = '0', 'fields.id.max' = '100000');\n"
                                            .formatted(perSecond, perSecond * seconds)
                                    + "INSERT INTO s.bench.fresh /*+ OPTIONS('sink.delivery-guarantee' = '%s') */ SELECT id, CURRENT_ROW_TIMESTAMP(), %s FROM source"
                                            .formatted(name, PAYLOAD)
                                    + REPLACING);
            jobs.cluster().awaitCheckpoints(job, 2);
            List<Double> ages = new ArrayList<>();
            while (!jobs.cluster().hasEnded(job)) {
                Object newest = trino.query(NEWEST).get(0).get(0);
                // Else nothing of this job is committed yet
                if (newest instanceof Number seen && seen.longValue() >= submitted) {
                    ages.add((double) System.currentTimeMillis() - seen.longValue());
                }
            }
            if (ages.size() < 2) {
                throw new IllegalStateException(
                        "Expected queries of Trino while the job runs, found %d"
                                .formatted(ages.size()));
            }
            ages.remove(ages.size() - 1); // perhaps after the last row
            ages.sort(null);
            metrics.put(freshness(exactlyOnce), ages.get((int) (ages.size() * 0.99)));
            metrics.put(freshness(exactlyOnce).replace("p99", "p50"), ages.get(ages.size() / 2));
            metrics.put("queries, " + name, ages.size());
        }

        private void lookups(int count, int rounds) throws Exception {
            int customers = options.quick() ? 10_000 : 200_000;
            try (BulkWriter writer = client.bulkWriter("bench", "customers")) {
                for (long id = 0; id < customers; id++) {
                    writer.write(id, "customer " + id);
                }
            }
            List<Double> rates = new ArrayList<>();
            for (int round = 0; round < rounds + 1; round++) { // the first one fills the caches
                double rate =
                        rate(
                                "lookups",
                                SLOTS,
                                count,
                                source(count, customers)
                                        + "CREATE TEMPORARY TABLE dropped (id BIGINT, name STRING) WITH ('connector' = 'blackhole');\n"
                                        + "INSERT INTO dropped SELECT e.id, c.name FROM (SELECT id, PROCTIME() AS seen FROM source) AS e JOIN s.bench.customers FOR SYSTEM_TIME AS OF e.seen AS c ON c.id = e.id;\n");
                if (round > 0) {
                    rates.add(rate);
                }
            }
            metrics.put(LOOKUPS, Medians.median(rates));
        }

        private static String source(int rows, int keys) {
            return "CREATE TEMPORARY TABLE source (id BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000', 'number-of-rows' = '%d', 'fields.id.min' = '0', 'fields.id.max' = '%d');\n"
                    .formatted(rows, keys - 1);
        }

        /** Rows a second of a job. */
        private double rate(String name, int parallelism, int rows, String script)
                throws Exception {
            String job = submit(name, parallelism, script);
            jobs.cluster().awaitState(job, "FINISHED");
            return rows * 1000.0 / jobs.cluster().runningMillis(job);
        }

        private String submit(String name, int parallelism, String script) throws IOException {
            return jobs.submit(name, parallelism, Optional.empty(), script);
        }
    }
}
