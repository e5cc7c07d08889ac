package io.stele.benchmarks.readwrite;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.local.LocalEngine;
import io.stele.benchmarks.local.ShardBatches;
import io.stele.benchmarks.servers.Run;
import io.stele.engine.StorageEngine;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.tablet.Traffic;
import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A benchmark of the latency of full analytical scans of a column table beside 0, 1, 8 and 32
 * writers that upsert its rows. One thread scans (count, sum of a product, a filter), at a new
 * snapshot each time. Engine and writers are in this process, with the engine's defaults: an hour
 * of history, and memtables that are flushed at their size or age while scans and writers run.
 *
 * <p>First each number of writers writes as fast as it can, without scans. Beside scans it then
 * writes at half of that rate. A phase with writers is as long as memtables become old, so that
 * flushes and compactions run in it; their number is reported. Only before the phase without
 * writers flushes and compactions come to rest, so that nothing makes it slower than it is.
 *
 * <p>Reported of each scan are the wall time; the CPU time of the thread that scans; and the wall
 * time less what the thread waited ready in the run queue, because writers, flushes and compactions
 * had the cores: the latency with the CPU share taken out. The rest is the cost of writers besides
 * cores: locks, waiting for the snapshot, memory and caches, rows in memory and deleted ones.
 * Rounds rotate the order. Every scan must count all rows.
 */
public final class ReadWriteBenchmark implements Benchmark {
    private static final double TARGET = 1.15;
    private static final List<Integer> WRITERS = List.of(0, 1, 8, 32);
    private static final double SHARE_OF_MAXIMUM = 0.5;
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final List<Integer> COLUMNS = List.of(2, 3, 4);

    @Override
    public String name() {
        return "read-write";
    }

    @Override
    public String description() {
        return "scan latency beside 0, 1, 8 and 32 writers, with and without its CPU share";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        int rows = options.quick() ? 50_000 : 1_000_000;
        int rounds = options.quick() ? 1 : 3;
        Duration rest = options.quick() ? Duration.ofSeconds(1) : Duration.ofSeconds(15);
        Duration written =
                options.quick() ? Duration.ofSeconds(2) : StorageOptions.DEFAULT.memTableAge();
        String machine = Machine.describe();
        Metrics metrics = new Metrics();
        try (LocalEngine engine =
                LocalEngine.open(
                        Run.load().path("state").resolve("read-write"),
                        StorageOptions.DEFAULT,
                        store -> store)) {
            TableSchema table = engine.createTable(Events.definition());
            load(engine, table, rows);
            Map<Integer, Double> rates = new LinkedHashMap<>();
            for (int writers : WRITERS) {
                double maximum = writers == 0 ? 0 : maximum(engine, table, rows, writers, rest);
                metrics.put(writers + " writers: upserts/s at most", maximum);
                rates.put(writers, SHARE_OF_MAXIMUM * maximum);
            }
            Map<Integer, List<Scan>> scans = new LinkedHashMap<>();
            WRITERS.forEach(writers -> scans.put(writers, new ArrayList<>()));
            List<Integer> order = new ArrayList<>(WRITERS);
            for (int round = 0; round < rounds; round++) {
                for (int writers : order) {
                    if (writers == 0) {
                        engine.settle(table);
                    }
                    Phase measured =
                            new Phase(
                                    engine.engine(),
                                    table,
                                    rows,
                                    writers,
                                    requireNonNull(rates.get(writers), "no rate"));
                    measured.run(rest); // compiles code, and has rows in memory before
                    Traffic.Totals before = engine.status(table).traffic();
                    requireNonNull(scans.get(writers), "no scans")
                            .addAll(measured.run(writers == 0 ? rest : written));
                    Traffic.Totals after = engine.status(table).traffic();
                    put(metrics, writers, before, after);
                }
                Collections.rotate(order, 1);
            }
            scans.forEach((writers, found) -> put(metrics, writers, found));
        }
        return new BenchmarkReport(
                name(),
                machine
                        + ", %,d rows, upserts at %.0f %% of the maximum"
                                .formatted(rows, 100 * SHARE_OF_MAXIMUM),
                metrics.asMap(),
                targets(metrics));
    }

    /** Rows a second that writers upsert without pauses and scans. */
    private static double maximum(
            LocalEngine engine, TableSchema table, int rows, int writers, Duration duration)
            throws InterruptedException {
        long start = System.nanoTime();
        try (PacedWriters writing =
                new PacedWriters(engine.engine(), table, rows, writers, Double.POSITIVE_INFINITY)) {
            Thread.sleep(duration);
            return writing.written() * 1e9 / (System.nanoTime() - start);
        }
    }

    /** Of the last round: those of others are alike. */
    private static void put(
            Metrics metrics, int writers, Traffic.Totals before, Traffic.Totals after) {
        String key = writers + " writers: ";
        metrics.put(key + "flushes in a phase", (double) (after.flushes() - before.flushes()));
        metrics.put(key + "compactions in a phase", (double) (after.merges() - before.merges()));
    }

    private static List<Target> targets(Metrics metrics) {
        List<Target> targets = new ArrayList<>();
        for (int writers : WRITERS.subList(1, WRITERS.size())) {
            for (String what : List.of("raw", "without run queue", "CPU")) {
                metrics.put(
                        writers + " writers: " + what + ", times none",
                        metrics.value(writers + " writers: " + what + " median ms")
                                / metrics.value("0 writers: " + what + " median ms"));
            }
            metrics.put(
                    writers + " writers: upserts/s, part of the most",
                    metrics.value(writers + " writers: upserts/s")
                            / metrics.value(writers + " writers: upserts/s at most"));
            targets.add(
                    Target.atMost(
                            writers + " writers: scan with its CPU share taken out, times none",
                            TARGET,
                            metrics.value(writers + " writers: without run queue, times none")));
        }
        return targets;
    }

    private static void put(Metrics metrics, int writers, List<Scan> scans) {
        String key = writers + " writers: ";
        metrics.put(key + "scans", scans.size());
        metrics.put(key + "raw median ms", median(scans, Scan::wallNanos));
        metrics.put(key + "without run queue median ms", median(scans, Scan::unqueuedNanos));
        metrics.put(key + "CPU median ms", median(scans, Scan::cpuNanos));
        metrics.put(key + "rows in memory, median", median(scans, Scan::liveRows) * 1e6);
        metrics.put(key + "upserts/s", median(scans, Scan::writtenPerSecond) * 1e6);
    }

    private static double median(
            List<Scan> scans, java.util.function.ToDoubleFunction<Scan> value) {
        return Medians.median(scans.stream().map(scan -> value.applyAsDouble(scan) / 1e6).toList());
    }

    private static void load(LocalEngine engine, TableSchema table, int rows) {
        SplittableRandom random = new SplittableRandom(42);
        ShardBatches writer = new ShardBatches(engine.engine(), table, 1, 1_000, 8);
        for (long id = 0; id < rows; id++) {
            writer.upsert(Events.row(id, random));
        }
        writer.flush();
    }

    /**
     * One scan.
     *
     * @param writtenPerSecond rows upserted while its phase ran
     */
    private record Scan(
            double wallNanos,
            double cpuNanos,
            double waitNanos,
            double liveRows,
            double writtenPerSecond) {
        double unqueuedNanos() {
            return wallNanos - waitNanos;
        }
    }

    /** Scans, one after the other, with {@code writers} writers. */
    private record Phase(
            StorageEngine engine, TableSchema table, int rows, int writers, double rowsPerSecond) {
        List<Scan> run(Duration duration) throws IOException, InterruptedException {
            List<Scan> scans = new ArrayList<>();
            long start = System.nanoTime();
            try (PacedWriters writing =
                    new PacedWriters(engine, table, rows, writers, rowsPerSecond)) {
                while (System.nanoTime() - start < duration.toNanos()) {
                    scans.add(scan(writing, start));
                }
            }
            return scans;
        }

        private Scan scan(PacedWriters writing, long phaseStart) throws IOException {
            ThreadTimes before = ThreadTimes.now();
            long start = System.nanoTime();
            LeasedSnapshot snapshot = engine.openSnapshot(Optional.empty(), LEASE).join();
            long count = 0;
            long revenue = 0;
            for (ShardId shard : table.shards()) {
                try (RowCursor cursor =
                        engine.scan(
                                snapshot,
                                table.id(),
                                shard,
                                ScanMode.SNAPSHOT,
                                ScanPredicate.ALL,
                                COLUMNS)) {
                    while (cursor.next()) {
                        BinaryRow row = cursor.row();
                        count += row.longAt(Events.QUANTITY);
                        revenue +=
                                row.longAt(Events.DAY) < 180
                                        ? row.longAt(Events.PRICE) * row.longAt(Events.QUANTITY)
                                        : 0;
                    }
                }
            }
            engine.closeSnapshot(snapshot.id());
            long wall = System.nanoTime() - start;
            ThreadTimes spent = ThreadTimes.now().since(before);
            if (count != rows || revenue <= 0) {
                throw new IllegalStateException(
                        "Expected %,d rows at LSN %s, found %,d"
                                .formatted(rows, snapshot.lsn(), count));
            }
            long live =
                    engine.status().shards().stream()
                            .mapToLong(status -> status.memoryRows())
                            .sum();
            return new Scan(
                    wall,
                    spent.cpuNanos(),
                    spent.waitNanos(),
                    live,
                    writing.written() * 1e9 / (System.nanoTime() - phaseStart));
        }
    }
}
