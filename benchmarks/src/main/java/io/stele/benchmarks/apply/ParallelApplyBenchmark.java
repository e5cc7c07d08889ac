package io.stele.benchmarks.apply;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.shard.apply.ApplyOptions;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A benchmark of one hot shard whose log is applied by two apply workers or by one, in the same run
 * and in turns.
 *
 * <p>"apply": batches put into memory, nothing else; the CPU time of the busier thread, which is
 * what undisturbed cores would need. "engine": an engine with four writers that have 32 batches in
 * flight each, until all are acknowledged, by wall time; with a log in memory, and with one that is
 * synced to the local disk. The share of applying in a row's time is an upper limit of the gain of
 * apply workers.
 */
public final class ParallelApplyBenchmark implements Benchmark {
    private static final long SEED = 11;
    private static final double TARGET = 1.7;
    private static final int WORKERS = 2;
    private static final int[] BATCH_ROWS = {64, 256, 1024};
    private static final Map<String, Double> KEYS = Map.of("uniform", 0.0, "zipf 0.99", 0.99);

    @Override
    public String name() {
        return "parallel-apply";
    }

    @Override
    public String description() {
        return "a hot shard applied by two apply workers beside one, without and with the log";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String machine = Machine.describe();
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        for (int batchRows : BATCH_ROWS) {
            for (String keys : List.of("uniform", "zipf 0.99")) {
                String name = "%d rows, %s".formatted(batchRows, keys);
                if (options.only().filter(only -> !name.contains(only)).isEmpty()) {
                    apply(
                            name,
                            batchRows,
                            requireNonNull(KEYS.get(keys)),
                            options.quick(),
                            metrics,
                            targets);
                    engine(
                            name,
                            batchRows,
                            requireNonNull(KEYS.get(keys)),
                            options.quick(),
                            metrics);
                }
            }
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets);
    }

    private static void apply(
            String name,
            int batchRows,
            double exponent,
            boolean quick,
            Metrics metrics,
            List<Target> targets)
            throws Exception {
        int rows = quick ? 50_000 : 200_000;
        int rounds = quick ? 3 : 21;
        TableSchema schema = HotBatches.definition("hot");
        ParallelApply apply =
                new ParallelApply(
                        schema, new HotBatches(schema).make(rows, batchRows, exponent, SEED));
        TableShard serial = apply.run(1).table();
        ParallelApply.checkSame(serial, apply.run(WORKERS).table());
        for (int warmUp = 0; warmUp < rounds / 3; warmUp++) {
            apply.run(1);
            apply.run(WORKERS);
        }
        List<Double> one = new ArrayList<>();
        List<Double> two = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        List<Double> wallRatios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            ParallelApply.Result first = apply.run(1);
            ParallelApply.Result second = apply.run(WORKERS);
            one.add((double) first.criticalNanos() / rows);
            two.add((double) second.criticalNanos() / rows);
            ratios.add((double) first.criticalNanos() / second.criticalNanos());
            wallRatios.add((double) first.wallNanos() / second.wallNanos());
        }
        metrics.put(name + ": apply, 1 worker, ns CPU a row", Medians.median(one));
        metrics.put(name + ": apply, 2 workers, ns CPU a row of the busier", Medians.median(two));
        double ratio = Medians.median(ratios);
        metrics.put(name + ": apply, times 1 worker, CPU critical path", ratio);
        metrics.put(name + ": apply, times 1 worker, wall", Medians.median(wallRatios));
        targets.add(
                Target.atLeast(name + ": apply, times 1 worker, CPU critical path", TARGET, ratio));
    }

    private static void engine(
            String name, int batchRows, double exponent, boolean quick, Metrics metrics)
            throws Exception {
        int rows = quick ? 50_000 : 400_000;
        int rounds = quick ? 1 : 7;
        for (boolean synced : new boolean[] {false, true}) {
            String log = synced ? ": log synced" : ": log in memory";
            Map<Integer, List<Double>> rates = new HashMap<>();
            List<Double> rowsPerGroup = new ArrayList<>();
            for (int round = 0; round <= rounds; round++) {
                for (int workers : new int[] {1, WORKERS}) {
                    HotShard.Result result =
                            write(workers, rows, batchRows, exponent, synced, round);
                    if (round > 0) { // the first one compiles the code
                        rates.computeIfAbsent(workers, _ -> new ArrayList<>())
                                .add(rows / result.seconds());
                        rowsPerGroup.add((double) rows / result.groups());
                    }
                }
            }
            double one = Medians.median(requireNonNull(rates.get(1)));
            double two = Medians.median(requireNonNull(rates.get(WORKERS)));
            metrics.put(name + log + ", 1 worker, rows/s", one);
            metrics.put(name + log + ", 2 workers, rows/s", two);
            metrics.put(name + log + ", times 1 worker, wall", two / one);
            metrics.put(name + log + ", rows a group", Medians.median(rowsPerGroup));
            metrics.put(
                    name + log + ", % of a row's time that its application takes",
                    100 * metrics.value(name + ": apply, 1 worker, ns CPU a row") * one / 1e9);
        }
    }

    private static HotShard.Result write(
            int workers, int rows, int batchRows, double exponent, boolean synced, int round)
            throws Exception {
        // Neither flushes nor compactions: the time that they take from the apply workers is not
        // measured here.
        StorageOptions options =
                StorageOptions.DEFAULT
                        .withMemTables(4L << 30, 8L << 30, Duration.ofHours(1))
                        .withApply(ApplyOptions.DEFAULT.withWorkers(workers, workers));
        Optional<Path> wal =
                synced
                        ? Optional.of(Files.createTempDirectory(stateFolder(), "parallel-apply-"))
                        : Optional.empty();
        try (HotShard shard = new HotShard(options, wal)) {
            List<byte[]> batches =
                    new HotBatches(shard.schema()).make(rows, batchRows, exponent, SEED + round);
            HotShard.Result result = shard.write(batches);
            shard.check(rows, workers);
            return result;
        } finally {
            if (wal.isPresent()) {
                delete(wal.get());
            }
        }
    }

    private static Path stateFolder() throws IOException {
        return Files.createDirectories(Run.load().path("state"));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
