package io.stele.benchmarks.upsert;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.local.LocalEngine;
import io.stele.benchmarks.servers.Run;
import io.stele.engine.node.StorageOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * A benchmark of uniformly random upserts into a column tablet of 10 M rows, beside appends of the
 * same rows to a table without a primary key. The engine is in this process, on the local disk, and
 * syncs its log.
 *
 * <p>A phase writes a number of rows in batches of 1,000 by two threads, eight batches in flight
 * each, until all are acknowledged ("acknowledged") and then until they are in files ("in files",
 * the number the target is for). Rounds take upserts and appends in turns. Compactions run whenever
 * they become due. A sample of the rows is checked after each round.
 */
public final class UpsertBenchmark implements Benchmark {
    private static final double TARGET_SHARE = 0.4;
    private static final int SAMPLE = 500;

    /** After one, half a second of each second was still the compiler's. */
    private static final int WARM_UP_ROUNDS = 3;

    @Override
    public String name() {
        return "upsert";
    }

    @Override
    public String description() {
        return "random upserts into a column tablet of 10 M rows, beside append-only";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        long rows = options.quick() ? 200_000 : 10_000_000;
        long rowsOfRound = options.quick() ? 50_000 : 400_000;
        int rounds = options.quick() ? 2 : 5;
        Path directory = Run.load().path("state").resolve("upsert");
        String machine = Machine.describe();
        Metrics metrics = new Metrics();
        Map<String, List<Phase>> phases = new LinkedHashMap<>();
        try (LocalEngine local =
                LocalEngine.open(directory, StorageOptions.DEFAULT, UnaryOperator.identity())) {
            MeasurementsTable keyed = new MeasurementsTable(local, "keyed", true);
            MeasurementsTable appended = new MeasurementsTable(local, "appended", false);
            long start = System.nanoTime();
            keyed.write(rows, number -> number, 0);
            keyed.flush();
            metrics.put("load: rows", (double) rows);
            metrics.put("load: s", (System.nanoTime() - start) / 1e9);
            start = System.nanoTime();
            keyed.compact();
            metrics.put("load: merging s", (System.nanoTime() - start) / 1e9);
            for (int round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
                boolean upsertsFirst = round % 2 == 0;
                for (int turn = 0; turn < 2; turn++) {
                    boolean upserts = upsertsFirst == (turn == 0);
                    Phase phase =
                            upserts
                                    ? upserts(keyed, rows, rowsOfRound, round)
                                    : phase(appended, rowsOfRound, number -> number, round);
                    if (round >= WARM_UP_ROUNDS) {
                        phases.computeIfAbsent(
                                        upserts ? "upsert" : "append", _ -> new ArrayList<>())
                                .add(phase);
                    }
                }
            }
        }
        phases.forEach((name, all) -> put(metrics, name, all));
        double share =
                metrics.value("upsert: rows/s in files") / metrics.value("append: rows/s in files");
        metrics.put("upsert, times append, in files", share);
        metrics.put(
                "upsert, times append, acknowledged",
                metrics.value("upsert: rows/s acknowledged")
                        / metrics.value("append: rows/s acknowledged"));
        metrics.put("share lost by upserts", 1 - share);
        return new BenchmarkReport(
                name(),
                machine,
                metrics.asMap(),
                List.of(Target.atLeast("rows/s in files, times append-only", TARGET_SHARE, share)));
    }

    /** The times of one phase. */
    private record Phase(long rows, double acknowledgedSeconds, double seconds, double cpuMicros) {}

    private static Phase upserts(MeasurementsTable table, long rows, long rowsOfRound, int round)
            throws Exception {
        long version = round + 1L;
        // Each row number has its key, so that threads need not agree; uniform, with repetitions.
        Phase phase = phase(table, rowsOfRound, number -> id(number, round, rows), version);
        SplittableRandom random = new SplittableRandom(version);
        for (int i = 0; i < SAMPLE; i++) {
            table.check(id(random.nextLong(rowsOfRound), round, rows), version);
        }
        return phase;
    }

    private static long id(long number, int round, long rows) {
        return new SplittableRandom(number * 1_000 + round).nextLong(rows);
    }

    private static Phase phase(
            MeasurementsTable table,
            long rows,
            java.util.function.LongUnaryOperator ids,
            long version)
            throws Exception {
        long cpu = Machine.processCpuNanos();
        long start = System.nanoTime();
        table.write(rows, ids, version);
        long acknowledged = System.nanoTime();
        table.flush();
        long end = System.nanoTime();
        return new Phase(
                rows,
                (acknowledged - start) / 1e9,
                (end - start) / 1e9,
                (Machine.processCpuNanos() - cpu) / 1e3 / rows);
    }

    private static void put(Metrics metrics, String name, List<Phase> phases) {
        metrics.put(
                name + ": rows/s acknowledged",
                median(
                        phases.stream()
                                .map(one -> one.rows() / one.acknowledgedSeconds())
                                .toList()));
        metrics.put(
                name + ": rows/s in files",
                median(phases.stream().map(one -> one.rows() / one.seconds()).toList()));
        metrics.put(
                name + ": rows/s in files, min",
                phases.stream().mapToDouble(one -> one.rows() / one.seconds()).min().orElse(0));
        metrics.put(
                name + ": rows/s in files, max",
                phases.stream().mapToDouble(one -> one.rows() / one.seconds()).max().orElse(0));
        metrics.put(name + ": CPU us/row", median(phases.stream().map(Phase::cpuMicros).toList()));
    }

    private static double median(List<Double> values) {
        return Medians.median(values);
    }
}
