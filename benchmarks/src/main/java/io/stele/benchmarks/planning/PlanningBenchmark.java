package io.stele.benchmarks.planning;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SidecarCounters;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A benchmark of the planning cost of other files, by queries of one partition of tables with few
 * and with many files. Each partition has one file.
 *
 * <p>One connection queries each table in turn for a random partition; answers are checked. For
 * comparison it runs {@code SELECT 1}, which shows Trino's own cost, and queries Iceberg's tables
 * of the same layout.
 */
public final class PlanningBenchmark implements Benchmark {
    private static final int ROWS_A_FILE = 20;

    /** Iceberg's writers take no more partitions at a time by default. */
    private static final int ICEBERG_PARTITIONS = 100;

    /** Of one INSERT: the sidecar takes its rows, 20 a partition. */
    private static final int STELE_PARTITIONS = 10_000;

    private static final int MOST_ICEBERG_FILES = 1_000;

    @Override
    public String name() {
        return "planning";
    }

    @Override
    public String description() {
        return "one partition of tables with 10 to 100,000 files through Trino: latency, planning, requests to the sidecar";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        List<Integer> sizes = options.quick() ? List.of(10, 200) : List.of(10, 1_000, 100_000);
        int rounds = options.quick() ? 10 : 100;
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (SteleServers servers = new SteleServers(run);
                SidecarCounters counters = new SidecarCounters(run)) {
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                List<FileTable> tables = load(trino, sizes);
                ask(trino, tables, rounds, new Metrics());
                ask(trino, tables, rounds, metrics);
                for (FileTable table : tables) {
                    if (table.isStele()) {
                        count(trino, table, "", counters, metrics);
                        count(trino, table, " again", counters, metrics);
                    }
                }
            }
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets(sizes, metrics));
    }

    private static List<Target> targets(List<Integer> sizes, Metrics metrics) {
        List<Target> targets = new ArrayList<>();
        int few = sizes.getFirst();
        for (int files : sizes) {
            String name = "stele %d ".formatted(files);
            if (files > few) {
                for (String what : List.of("p50 ms", "explain p50 ms")) {
                    targets.add(
                            Target.atMost(
                                    "%s%s, times that of %d files".formatted(name, what, few),
                                    1.1,
                                    metrics.value(name + what)
                                            / metrics.value("stele %d %s".formatted(few, what))));
                }
            }
            String actions = name + "actions a query";
            targets.add(Target.atMost(actions, 1, metrics.value(actions)));
        }
        return targets;
    }

    private static List<FileTable> load(TrinoSession trino, List<Integer> sizes)
            throws SQLException {
        trino.update("CREATE SCHEMA stele.planning");
        trino.update("CREATE SCHEMA iceberg.planning");
        List<FileTable> tables = new ArrayList<>();
        for (int files : sizes) {
            String name = "stele.planning.files_" + files;
            trino.update(
                    "CREATE TABLE %s (p bigint, v bigint) WITH (partitioned_by = ARRAY['p'], shard_count = 1)"
                            .formatted(name));
            for (int from = 0; from < files; from += STELE_PARTITIONS) {
                insert(trino, name, from, Math.min(files, from + STELE_PARTITIONS));
            }
            trino.update("CALL stele.system.flush('planning', 'files_%d')".formatted(files));
            tables.add(new FileTable("stele", name, files));
            if (files <= MOST_ICEBERG_FILES) {
                String peer = "iceberg.planning.files_" + files;
                trino.update(
                        "CREATE TABLE %s (p bigint, v bigint) WITH (partitioning = ARRAY['p'])"
                                .formatted(peer));
                for (int from = 0; from < files; from += ICEBERG_PARTITIONS) {
                    insert(trino, peer, from, Math.min(files, from + ICEBERG_PARTITIONS));
                }
                tables.add(new FileTable("iceberg", peer, files));
            }
        }
        for (FileTable table : tables) {
            long found =
                    ((Number)
                                    trino.query(
                                                    "SELECT count(*) FROM %s.planning.\"files_%d$files\""
                                                            .formatted(
                                                                    table.catalog(), table.files()))
                                            .getFirst()
                                            .getFirst())
                            .longValue();
            if (found < table.files()) {
                throw new IllegalStateException(
                        "Expected %d files of %s, found %d"
                                .formatted(table.files(), table.name(), found));
            }
        }
        return tables;
    }

    private static void insert(TrinoSession trino, String table, int from, int to)
            throws SQLException {
        trino.update(
                "INSERT INTO %s SELECT p, p * 100 + v FROM UNNEST(sequence(%d, %d)) a(p) CROSS JOIN UNNEST(sequence(1, %d)) b(v)"
                        .formatted(table, from, to - 1, ROWS_A_FILE));
    }

    private static void ask(TrinoSession trino, List<FileTable> tables, int rounds, Metrics metrics)
            throws SQLException {
        SplittableRandom random = new SplittableRandom(7);
        Latencies floor = new Latencies();
        List<Latencies> queries = new ArrayList<>();
        List<Latencies> explains = new ArrayList<>();
        tables.forEach(
                table -> {
                    queries.add(new Latencies());
                    explains.add(new Latencies());
                });
        for (int round = 0; round < rounds; round++) {
            trino.timed("SELECT 1", floor);
            for (int i = 0; i < tables.size(); i++) {
                FileTable table = tables.get(i);
                int partition = random.nextInt(table.files());
                List<List<Object>> rows = trino.timed(table.query(partition), queries.get(i));
                long expected =
                        ROWS_A_FILE * (partition * 100L) + ROWS_A_FILE * (ROWS_A_FILE + 1) / 2;
                long found = ((Number) rows.getFirst().getFirst()).longValue();
                if (found != expected) {
                    throw new IllegalStateException(
                            "Expected %d from %s, found %d"
                                    .formatted(expected, table.query(partition), found));
                }
                trino.timed("EXPLAIN " + table.query(partition), explains.get(i));
            }
        }
        metrics.put("select_1 p50 ms", floor.millis(50));
        for (int i = 0; i < tables.size(); i++) {
            FileTable table = tables.get(i);
            metrics.put(table.label() + " p50 ms", queries.get(i).millis(50));
            metrics.put(table.label() + " p99 ms", queries.get(i).millis(99));
            metrics.put(table.label() + " explain p50 ms", explains.get(i).millis(50));
        }
    }

    /** Mostly of partitions that were not queried before, if there are many of them. */
    private static void count(
            TrinoSession trino,
            FileTable table,
            String when,
            SidecarCounters counters,
            Metrics metrics)
            throws Exception {
        int queries = 20;
        long actions = counters.actions();
        for (int query = 0; query < queries; query++) {
            trino.query(table.query(query % table.files()));
        }
        metrics.put(
                table.label() + " actions a query" + when,
                (counters.actions() - actions) / (double) queries);
    }

    /**
     * A table.
     *
     * @param catalog whose it is
     * @param files of one partition each
     */
    private record FileTable(String catalog, String name, int files) {
        boolean isStele() {
            return catalog.equals("stele");
        }

        String label() {
            return catalog + " " + files;
        }

        String query(int partition) {
            return "SELECT sum(v) FROM %s WHERE p = %d".formatted(name, partition);
        }
    }
}
