package io.stele.benchmarks.hos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Medians;
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
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The phase of the scheduler benchmark on a real sidecar: one client's lookups beside other
 * clients' scans, with the scheduler and with a plain thread pool, then the shares of queries that
 * come and go.
 *
 * <p>The scans compute and send almost nothing: a filter that no row passes, over all rows of a row
 * table. So the benchmark measures the sharing of the sidecar's threads, not of the network. First
 * all rows are in memory, as the rows that Trino reads from a sidecar are; then in files.
 */
final class SidecarPhase {
    private static final String TABLE = "usertable";
    private static final String GROUPS_FILE = "stele.scheduler.groups-file";
    private static final int[] SCANS = {0, 1, 4, 16};
    private static final long SEED = 11;
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** The scheduler of the sidecar's contexts, as its configuration sets it. */
    private enum Setting {
        FAIR("scheduler", "FAIR"),
        FIFO("thread pool", "FIFO");

        private final String text;
        private final Map<String, String> properties;

        Setting(String text, String policy) {
            this.text = text;
            this.properties =
                    Map.of(
                            "stele.scheduler.policy",
                            policy,
                            "stele.memtable.max-age",
                            "1d"); // nothing is flushed by itself
        }
    }

    private final Run run = Run.load();
    private final UserRows content = new UserRows(SEED);
    private final int rowCount;
    private final Duration duration;
    private final long windowMillis;
    private final Path plot;

    /** The times of lookups beside some scans. */
    private record Result(double p50Micros, double p99Micros, double scansPerSecond) {}

    /**
     * @param plot the file of the plot of shares
     */
    SidecarPhase(boolean quick, Path plot) throws IOException {
        this.rowCount = quick ? 20_000 : 50_000;
        this.duration = Duration.ofSeconds(quick ? 1 : 10);
        this.windowMillis = quick ? 100 : 1_000;
        this.plot = requireNonNull(plot, "plot is null");
    }

    void run(Metrics metrics, List<Target> targets) throws Exception {
        try (SteleServers servers = new SteleServers(run)) {
            configure(Setting.FAIR.properties);
            servers.startSidecar();
            load();
            compare(servers, "rows in memory", metrics, targets);
            burst(servers, metrics, targets);
            flush();
            compare(servers, "rows in files", metrics, targets);
        }
    }

    private void compare(SteleServers servers, String where, Metrics metrics, List<Target> targets)
            throws Exception {
        List<Result> fair = measure(servers, Setting.FAIR, where, metrics);
        List<Result> fifo = measure(servers, Setting.FIFO, where, metrics);
        double sixteen = fair.getLast().p99Micros();
        targets.add(
                Target.atMost(
                        "sidecar, %s: p99 of lookups beside 16 scans by that beside 1"
                                .formatted(where),
                        1.5,
                        sixteen / fair.get(1).p99Micros()));
        targets.add(
                Target.atLeast(
                        "sidecar, %s: p99 of lookups beside 16 scans, of the thread pool by that of the scheduler"
                                .formatted(where),
                        5,
                        fifo.getLast().p99Micros() / sixteen));
    }

    private void burst(SteleServers servers, Metrics metrics, List<Target> targets)
            throws Exception {
        Path groups = run.path("sidecar.etc").resolve("burst-groups.json");
        Files.writeString(groups, SidecarBurst.groups());
        Map<String, String> properties = new HashMap<>(Setting.FAIR.properties);
        properties.put(GROUPS_FILE, groups.toString());
        configure(properties);
        servers.restartSidecar();
        try (FlightClient flight = Clients.flight(run)) {
            try (FilteringScans warm = FilteringScans.start(flight, TABLE, 2)) {
                TimeUnit.NANOSECONDS.sleep(duration.toNanos());
            }
            SidecarBurst.Result result = SidecarBurst.run(flight, TABLE, windowMillis);
            Files.createDirectories(plot.toAbsolutePath().getParent());
            BurstPlot.write(result, plot);
            String name =
                    "sidecar, deviation from equal shares in %,d ms, ".formatted(windowMillis);
            double most = 100 * Collections.max(result.deviations());
            metrics.put(name + "median %", 100 * Medians.median(result.deviations()));
            metrics.put(name + "most %", most);
            targets.add(Target.atMost(name + "most %", 10, most));
        }
    }

    /** The next sidecar that is started has these properties. */
    private void configure(Map<String, String> properties) throws IOException {
        Path file = run.path("sidecar.etc").resolve("config.properties");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.removeIf(
                line ->
                        line.startsWith(GROUPS_FILE + "=")
                                || properties.keySet().stream()
                                        .anyMatch(key -> line.startsWith(key + "=")));
        properties.forEach((key, value) -> lines.add(key + "=" + value));
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
        configure(setting.properties);
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
