package io.stele.benchmarks.hos;

import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.MaintenanceActions;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The phase of the scheduler benchmark that measures one client's lookups beside other clients'
 * scans on a real sidecar, with its scheduler and with a plain thread pool.
 *
 * <p>The scans compute and send almost nothing: a filter that no row passes, over all rows of a row
 * table. So the benchmark measures the sharing of the sidecar's threads, not of the network. First
 * all rows are in memory, as the rows that Trino reads from a sidecar are; then in files.
 */
final class SidecarPhase {
    private static final String TABLE = "usertable";
    private static final int[] SCANS = {0, 1, 4, 16};
    private static final long SEED = 11;
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** The scheduler of the sidecar's contexts, as its configuration sets it. */
    private enum Setting {
        FAIR("scheduler", "FAIR", "200us"),
        LONG_QUANTUM("scheduler with a quantum of 1 ms", "FAIR", "1ms"),
        FIFO("thread pool", "FIFO", "200us");

        private final String text;
        private final Map<String, String> properties;

        Setting(String text, String policy, String quantum) {
            this.text = text;
            this.properties =
                    Map.of(
                            "stele.scheduler.policy", policy,
                            "stele.scheduler.quantum", quantum,
                            "stele.memtable.max-age", "1d"); // nothing is flushed by itself
        }
    }

    private final Run run = Run.load();
    private final UserRows content = new UserRows(SEED);
    private final int rowCount;
    private final Duration duration;

    /** The times of lookups beside some scans. */
    private record Result(double p50Micros, double p99Micros, double scansPerSecond) {}

    SidecarPhase(boolean quick) throws IOException {
        this.rowCount = quick ? 20_000 : 50_000;
        this.duration = Duration.ofSeconds(quick ? 2 : 10);
    }

    void run(Metrics metrics, List<Target> targets) throws Exception {
        Map<Setting, List<Result>> results = new EnumMap<>(Setting.class);
        try (SteleServers servers = new SteleServers(run)) {
            configure(Setting.FAIR);
            servers.startSidecar();
            load();
            for (Setting setting : Setting.values()) {
                results.put(setting, measure(servers, setting, "rows in memory", metrics));
            }
            flush();
            measure(servers, Setting.FAIR, "rows in files", metrics);
            measure(servers, Setting.FIFO, "rows in files", metrics);
        }
        List<Result> fair = results.getOrDefault(Setting.FAIR, List.of());
        List<Result> fifo = results.getOrDefault(Setting.FIFO, List.of());
        double one = fair.get(1).p99Micros();
        double sixteen = fair.getLast().p99Micros();
        targets.add(
                Target.atMost(
                        "sidecar: p99 of lookups beside 16 scans by that beside 1",
                        1.5,
                        sixteen / one));
        targets.add(
                Target.atLeast(
                        "sidecar: p99 of lookups beside 16 scans, of the thread pool by that of the scheduler",
                        5,
                        fifo.getLast().p99Micros() / sixteen));
    }

    /** The next sidecar that is started has this setting. */
    private void configure(Setting setting) throws IOException {
        Path file = run.path("sidecar.etc").resolve("config.properties");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.removeIf(
                line ->
                        setting.properties.keySet().stream()
                                .anyMatch(key -> line.startsWith(key + "=")));
        setting.properties.forEach((key, value) -> lines.add(key + "=" + value));
        Files.write(file, lines);
    }

    private void load() {
        try (SteleClient client = Clients.stele(run);
                FlightClient flight = Clients.flight(run)) {
            UserTable.createSchema(flight);
            UserTable.create(flight, TABLE, Orientation.ROW);
            try (TableWriter writer = client.writer(UserTable.SCHEMA, TABLE)) {
                for (int number = 0; number < rowCount; number++) {
                    writer.write(content.values(number));
                }
                writer.flush();
            }
        }
    }

    private void flush() {
        try (FlightClient flight = Clients.flight(run)) {
            flight.action(MaintenanceActions.FLUSH, TableRequest.of(UserTable.SCHEMA, TABLE));
            flight.action(MaintenanceActions.COMPACT, TableRequest.of(UserTable.SCHEMA, TABLE));
        }
    }

    private List<Result> measure(
            SteleServers servers, Setting setting, String where, Metrics metrics) throws Exception {
        configure(setting);
        servers.restartSidecar();
        List<Result> results = new ArrayList<>();
        try (SteleClient client = Clients.stele(run);
                FlightClient flight = Clients.flight(run)) {
            SteleTable table = client.table(UserTable.SCHEMA, TABLE);
            try (FilteringScans warm = FilteringScans.start(flight, TABLE, 2)) {
                lookUp(table, 1, duration);
            }
            for (int scans : SCANS) {
                Result result = measure(flight, table, scans);
                results.add(result);
                String name = "%s, %s, beside %d scans: ".formatted(where, setting.text, scans);
                metrics.put(name + "p50 us of a lookup", result.p50Micros());
                metrics.put(name + "p99 us of a lookup", result.p99Micros());
                if (scans > 0) {
                    metrics.put(name + "scans of a shard/s", result.scansPerSecond());
                }
            }
        }
        return results;
    }

    private Result measure(FlightClient flight, SteleTable table, int scans) throws Exception {
        try (FilteringScans beside = FilteringScans.start(flight, TABLE, scans)) {
            long finished = beside.finished();
            long start = System.nanoTime();
            Histogram latencies = lookUp(table, 2 + scans, duration);
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Result(
                    latencies.getValueAtPercentile(50) / 1e3,
                    latencies.getValueAtPercentile(99) / 1e3,
                    (beside.finished() - finished) / seconds);
        }
    }

    /** Looks random rows up, one after the other. */
    private Histogram lookUp(SteleTable table, long seed, Duration time) {
        Histogram latencies = new Histogram(HIGHEST_NANOS, 3);
        SplittableRandom random = new SplittableRandom(seed);
        long before = System.nanoTime();
        long end = before + time.toNanos();
        while (before < end) {
            int number = random.nextInt(rowCount);
            List<?> found = table.get(UserRows.key(number)).orElseThrow();
            long after = System.nanoTime();
            latencies.recordValue(Math.min(after - before, HIGHEST_NANOS));
            if (!found.equals(List.of(content.values(number)))) {
                throw new IllegalStateException(
                        "Expected %s, found %s".formatted(List.of(content.values(number)), found));
            }
            before = System.nanoTime();
        }
        return latencies;
    }
}
