package io.stele.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.stele.benchmarks.affinity.AffinityBenchmark;
import io.stele.benchmarks.aggregates.AggregatesBenchmark;
import io.stele.benchmarks.apply.ParallelApplyBenchmark;
import io.stele.benchmarks.changes.ChangesBenchmark;
import io.stele.benchmarks.choices.ChoicesBenchmark;
import io.stele.benchmarks.coldscan.ColdScanBenchmark;
import io.stele.benchmarks.encryption.EncryptionBenchmark;
import io.stele.benchmarks.flink.FlinkBenchmark;
import io.stele.benchmarks.footprint.FootprintBenchmark;
import io.stele.benchmarks.get.GetBenchmark;
import io.stele.benchmarks.hos.HosBenchmark;
import io.stele.benchmarks.indexes.IndexesBenchmark;
import io.stele.benchmarks.ingest.IngestBenchmark;
import io.stele.benchmarks.jdbcbatch.JdbcBatchBenchmark;
import io.stele.benchmarks.lookupsql.LookupSqlBenchmark;
import io.stele.benchmarks.manifest.ManifestBenchmark;
import io.stele.benchmarks.pagecache.PageCacheBenchmark;
import io.stele.benchmarks.paimon.PaimonBenchmark;
import io.stele.benchmarks.planning.PlanningBenchmark;
import io.stele.benchmarks.raptorx.RaptorxBenchmark;
import io.stele.benchmarks.readwrite.ReadWriteBenchmark;
import io.stele.benchmarks.recovery.RecoveryBenchmark;
import io.stele.benchmarks.retrieval.RetrievalBenchmark;
import io.stele.benchmarks.retrieval.TailBenchmark;
import io.stele.benchmarks.s3keys.S3KeysBenchmark;
import io.stele.benchmarks.scan.ScanBenchmark;
import io.stele.benchmarks.serving.ServingBenchmark;
import io.stele.benchmarks.skip.SkipBenchmark;
import io.stele.benchmarks.tpch.TpchBenchmark;
import io.stele.benchmarks.upsert.ScanDeletesBenchmark;
import io.stele.benchmarks.upsert.UpsertBenchmark;
import io.stele.benchmarks.wal.WalBenchmark;
import io.stele.benchmarks.writeamp.WriteAmpBenchmark;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The main program behind {@code bin/stele bench NAME [--quick] [--only CASE] [--scale FACTOR]
 * [--json FILE]}.
 *
 * <p>Exits with 0 when the benchmark ran, whether or not its targets were met unless it is a gate,
 * with 1 when it failed and with 2 when it was called wrongly.
 */
public final class BenchmarkRunner {
    private static final List<Benchmark> BENCHMARKS =
            List.of(
                    new IngestBenchmark(),
                    new RetrievalBenchmark(),
                    new TailBenchmark(),
                    new GetBenchmark(),
                    new ScanBenchmark(),
                    new AggregatesBenchmark(),
                    new ServingBenchmark(),
                    new LookupSqlBenchmark(),
                    new S3KeysBenchmark(),
                    new JdbcBatchBenchmark(),
                    new PlanningBenchmark(),
                    new ManifestBenchmark(),
                    new TpchBenchmark(),
                    new RaptorxBenchmark(),
                    new SkipBenchmark(),
                    new UpsertBenchmark(),
                    new IndexesBenchmark(),
                    new ScanDeletesBenchmark(),
                    new ReadWriteBenchmark(),
                    new RecoveryBenchmark(),
                    new WalBenchmark(),
                    new WriteAmpBenchmark(),
                    new HosBenchmark(),
                    new ParallelApplyBenchmark(),
                    new PageCacheBenchmark(),
                    new EncryptionBenchmark(),
                    new ColdScanBenchmark(),
                    new AffinityBenchmark(),
                    new ChoicesBenchmark(),
                    new FootprintBenchmark(),
                    new PaimonBenchmark(),
                    new FlinkBenchmark(),
                    new ChangesBenchmark());

    private BenchmarkRunner() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        Deque<String> words = new ArrayDeque<>(Arrays.asList(arguments));
        Optional<Benchmark> benchmark =
                Optional.ofNullable(words.poll()).flatMap(BenchmarkRunner::find);
        if (benchmark.isEmpty()) {
            out.println("Expected the name of a benchmark:");
            BENCHMARKS.forEach(
                    known ->
                            out.printf(
                                    Locale.ROOT,
                                    "  %-12s %s%n",
                                    known.name(),
                                    known.description()));
            System.exit(2);
        }
        BenchmarkOptions options = options(words);
        if (options.scale().isPresent() && !benchmark.orElseThrow().isScalable()) {
            throw new IllegalArgumentException(
                    "Expected no --scale, which %s does not take"
                            .formatted(benchmark.orElseThrow().name()));
        }
        BenchmarkReport measured = benchmark.orElseThrow().run(options);
        BenchmarkReport report = options.quick() ? measured.ofQuickRun() : measured;
        out.print(report.text());
        if (options.jsonFile().isPresent()) {
            write(report, options.jsonFile().orElseThrow());
        }
        if (benchmark.orElseThrow().isGate()
                && !measured.targets().stream().allMatch(Target::met)) {
            System.exit(1);
        }
    }

    private static Optional<Benchmark> find(String name) {
        return BENCHMARKS.stream().filter(known -> known.name().equals(name)).findFirst();
    }

    private static BenchmarkOptions options(Deque<String> words) {
        boolean quick = false;
        Optional<String> only = Optional.empty();
        Optional<Double> scale = Optional.empty();
        Optional<Path> json = Optional.empty();
        while (!words.isEmpty()) {
            String word = words.remove();
            switch (word) {
                case "--quick" -> quick = true;
                case "--only" -> only = Optional.of(argument(word, words));
                case "--scale" -> scale = Optional.of(scale(argument(word, words)));
                case "--json" ->
                        json = Optional.of(Path.of(argument(word, words)).toAbsolutePath());
                default ->
                        throw new IllegalArgumentException(
                                "Expected --quick, --only CASE, --scale FACTOR or --json FILE,"
                                        + " found: "
                                        + word);
            }
        }
        return new BenchmarkOptions(
                quick,
                only,
                scale,
                json,
                Path.of(System.getProperty("stele.home", ".")).toAbsolutePath().normalize());
    }

    private static double scale(String text) {
        double scale;
        try {
            scale = Double.parseDouble(text);
        } catch (NumberFormatException e) {
            scale = Double.NaN;
        }
        if (!(scale > 0 && scale <= 1)) {
            throw new IllegalArgumentException(
                    "Expected a --scale above 0 and at most 1, found " + text);
        }
        return scale;
    }

    private static String argument(String option, Deque<String> words) {
        if (words.isEmpty()) {
            throw new IllegalArgumentException("Expected a value after " + option);
        }
        return words.remove();
    }

    static void write(BenchmarkReport report, Path file) throws IOException {
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), report);
    }
}
