package io.stele.benchmarks.recovery;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.ingest.UserRows;
import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.client.flight.FlightClient;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A benchmark of the seconds from the start of a killed sidecar (SIGKILL) until it serves, with 1
 * GiB of log to replay. Nothing of the log is in files, and the time includes the start of the JVM.
 * The baseline is the same sidecar with an empty log.
 *
 * <p>The memtables of this run hold all of the log (see {@code bin/stele}), which the defaults do
 * not allow: they flush at 64 MiB, at a minute of age, and beyond 256 MiB in all. After each start
 * the rows are counted, and all that were acknowledged must be there.
 */
public final class RecoveryBenchmark implements Benchmark {
    private static final long SEED = 42;
    private static final double TARGET_SECONDS = 20;
    private static final int BATCH_ROWS = 1_000;
    private static final int PIPELINE = 16;

    @Override
    public String name() {
        return "recovery";
    }

    @Override
    public String description() {
        return "seconds to serve after SIGKILL with 1 GiB of log";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        long logBytes = options.quick() ? 32L << 20 : 1L << 30;
        int restarts = options.quick() ? 1 : 3;
        Run run = Run.load();
        String machine = Machine.describe();
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        try (SteleServers servers = new SteleServers(run)) {
            servers.startSidecar();
            measure("empty log", servers, restarts, metrics);
            for (Orientation orientation : List.of(Orientation.ROW, Orientation.COLUMN)) {
                String name = orientation.text() + " table";
                try (FlightClient flight = Clients.flight(run)) {
                    UserTable.createSchema(flight);
                    String table = "usertable_" + orientation.name().toLowerCase(Locale.ROOT);
                    UserTable.create(flight, table, orientation);
                    long rows = fill(run, table, logBytes);
                    metrics.put(name + ": log MiB", walBytes(run) / 1048576.0);
                    double seconds = measure(name, servers, restarts, metrics);
                    check(rows, UserTable.count(flight, table));
                    UserTable.drop(flight, table);
                    if (!options.quick()) {
                        targets.add(
                                Target.atMost(
                                        name + ": seconds to serve after SIGKILL, 1 GiB of log",
                                        TARGET_SECONDS,
                                        seconds));
                    }
                }
                awaitTrimmed(run, logBytes);
            }
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets);
    }

    /** Kills and starts the sidecar some times; the median of the seconds. */
    private static double measure(String name, SteleServers servers, int restarts, Metrics metrics)
            throws Exception {
        List<Double> seconds = new ArrayList<>();
        List<Double> cpuSeconds = new ArrayList<>();
        for (int restart = 0; restart < restarts; restart++) {
            servers.killSidecar();
            long start = System.nanoTime();
            servers.restartSidecar();
            seconds.add((System.nanoTime() - start) / 1e9);
            cpuSeconds.add(ProcessCpu.nanos(servers.sidecarPid()) / 1e9);
        }
        metrics.put(name + ": s to serve", Medians.median(seconds));
        metrics.put(name + ": s CPU to serve", Medians.median(cpuSeconds));
        return Medians.median(seconds);
    }

    /** Writes rows until the log has its size; returns how many. */
    private static long fill(Run run, String table, long logBytes) throws Exception {
        UserRows content = new UserRows(SEED);
        long rows = 0;
        long before = walBytes(run);
        try (SteleClient client = Clients.stele(run);
                TableWriter writer = client.writer(UserTable.SCHEMA, table)) {
            Deque<CompletableFuture<?>> underway = new ArrayDeque<>();
            while (walBytes(run) - before < logBytes) {
                for (int batch = 0; batch < PIPELINE; batch++) {
                    List<Object[]> values = new ArrayList<>(BATCH_ROWS);
                    for (int i = 0; i < BATCH_ROWS; i++) {
                        values.add(content.values(rows++));
                    }
                    underway.add(writer.writeBatch(values));
                    if (underway.size() > PIPELINE) {
                        underway.remove().get();
                    }
                }
            }
            for (CompletableFuture<?> batch : underway) {
                batch.get();
            }
        }
        return rows;
    }

    private static long walBytes(Run run) throws IOException {
        Path folder = run.path("state").resolve("wal");
        long bytes = 0;
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    /** The dropped table's log goes, so that the next one's is measured alone. */
    private static void awaitTrimmed(Run run, long logBytes) throws Exception {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (walBytes(run) > Math.max(logBytes / 4, 2L << 26)) { // the last segments stay
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "Expected the log of a dropped table to be trimmed within a minute, found %,d bytes"
                                .formatted(walBytes(run)));
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private static void check(long expected, long found) {
        if (expected != found) {
            throw new IllegalStateException(
                    "Expected %,d acknowledged rows after the restart, found %,d"
                            .formatted(expected, found));
        }
    }
}
