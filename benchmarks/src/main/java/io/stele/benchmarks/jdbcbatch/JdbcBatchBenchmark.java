package io.stele.benchmarks.jdbcbatch;

import static java.util.Objects.requireNonNull;

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
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A benchmark of JDBC batches of one-row INSERTs through Trino, whose driver runs a query for each
 * row. For comparison it inserts the same rows into a table of the memory connector, which shows
 * Trino's own cost, and runs {@code SELECT 1}.
 *
 * <p>One connection fills a batch for each table in turn, in an order that rotates. The first batch
 * of each is reported by itself, as what a server costs that was started just now.
 */
public final class JdbcBatchBenchmark implements Benchmark {
    private static final int ROWS = 100;
    private static final int QUICK_ROWS = 10;

    /**
     * Of all rounds that are timed after the first one. A round of five times 100 queries takes a
     * minute and a half on a loaded machine of two cores: ten of them would not end in time.
     */
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private static final int MIN_ROUNDS = 2;
    private static final String FLOOR = "SELECT 1";

    @Override
    public String name() {
        return "jdbc-batch";
    }

    @Override
    public String description() {
        return "INSERTs of one row each by JDBC batch, beside the memory connector in the same server";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        int rows = options.quick() ? QUICK_ROWS : ROWS;
        int warmUpRounds = options.quick() ? 1 : 2;
        int rounds = options.quick() ? 3 : 10;
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (SteleServers servers = new SteleServers(run);
                SidecarCounters counters = new SidecarCounters(run)) {
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                trino.update("CREATE SCHEMA stele.batch");
                for (Into into : Into.values()) {
                    trino.update(
                            "CREATE TABLE %s (id bigint, name varchar, amount double)%s"
                                    .formatted(into.table, into.properties));
                }
                Rounds inserts = new Rounds(trino, rows);
                inserts.run(1, "first batch, ", metrics);
                inserts.run(warmUpRounds, "", new Metrics());
                int ran = inserts.run(rounds, "", metrics);
                metrics.put("rounds", ran);
                inserts.count(counters, metrics);
                inserts.check();
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", batches of " + rows,
                metrics.asMap(),
                List.of(
                        target(metrics, Into.STELE_KEYLESS),
                        target(metrics, Into.STELE_COLUMN),
                        target(metrics, Into.STELE_ROW)));
    }

    private static Target target(Metrics metrics, Into into) {
        String name = into.label + " ms a row, times memory";
        return Target.atMost(name, 1.5, metrics.value(name));
    }

    /** The tables that rows go into. */
    private enum Into {
        MEMORY("memory", "memory.default.batch", ""),
        STELE_KEYLESS("stele_keyless", "stele.batch.keyless", ""),
        STELE_COLUMN("stele_column", "stele.batch.columns", " WITH (primary_key = ARRAY['id'])"),
        STELE_ROW(
                "stele_row",
                "stele.batch.rows",
                " WITH (primary_key = ARRAY['id'], orientation = 'row')");

        private final String label;
        private final String table;
        private final String properties;

        Into(String label, String table, String properties) {
            this.label = label;
            this.table = table;
            this.properties = properties;
        }
    }

    /** Rounds over all tables, with ids that continue. Confined to one thread. */
    private static final class Rounds {
        private final TrinoSession trino;
        private final int rows; // of a batch
        private final List<Into> order = new ArrayList<>(List.of(Into.values()));
        private long nextId;

        Rounds(TrinoSession trino, int rows) {
            this.rows = rows;
            this.trino = requireNonNull(trino, "trino is null");
        }

        /** Runs as many rounds, or as fit into the limit; returns their number. */
        int run(int rounds, String when, Metrics metrics) throws SQLException {
            Map<Into, Latencies> latencies = new EnumMap<>(Into.class);
            order.forEach(into -> latencies.put(into, new Latencies()));
            Latencies floor = new Latencies();
            long begin = System.nanoTime();
            int round = 0;
            while (round < rounds
                    && (round < MIN_ROUNDS || System.nanoTime() - begin < LIMIT.toNanos())) {
                for (int query = 0; query < rows; query++) {
                    trino.timed(FLOOR, floor);
                }
                for (Into into : order) {
                    long start = System.nanoTime();
                    insert(into);
                    requireNonNull(latencies.get(into)).record(System.nanoTime() - start);
                }
                nextId += rows;
                Collections.rotate(order, 1);
                round++;
            }
            metrics.put(when + "select_1 p50 ms", floor.millis(50));
            for (Into into : Into.values()) {
                metrics.put(when + into.label + " ms a row", millis(latencies, into));
            }
            for (Into into : Into.values()) {
                metrics.put(
                        when + into.label + " ms a row, times memory",
                        millis(latencies, into) / millis(latencies, Into.MEMORY));
            }
            return round;
        }

        /** Of the median batch. */
        private double millis(Map<Into, Latencies> latencies, Into into) {
            return requireNonNull(latencies.get(into)).millis(50) / rows;
        }

        private void insert(Into into) throws SQLException {
            List<List<Object>> batch = new ArrayList<>(rows);
            for (long id = nextId; id < nextId + rows; id++) {
                batch.add(List.of(id, "name " + id, id / 8.0));
            }
            trino.batch("INSERT INTO %s VALUES (?, ?, ?)".formatted(into.table), batch);
        }

        /** Counts the requests of an INSERT to the sidecar. */
        void count(SidecarCounters counters, Metrics metrics)
                throws SQLException, IOException, InterruptedException {
            for (Into into : Into.values()) {
                if (into != Into.MEMORY) {
                    long actions = counters.actions();
                    insert(into);
                    metrics.put(
                            into.label + " actions a row",
                            (counters.actions() - actions) / (double) rows);
                }
            }
            // The memory connector has a batch less
            nextId += rows;
        }

        void check() throws SQLException {
            for (Into into : Into.values()) {
                long expected = into == Into.MEMORY ? nextId - rows : nextId;
                long found = trino.number("SELECT count(*) FROM " + into.table);
                if (found != expected) {
                    throw new IllegalStateException(
                            "Expected %d rows in %s, found %d"
                                    .formatted(expected, into.table, found));
                }
            }
        }
    }
}
