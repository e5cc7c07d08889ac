package io.stele.benchmarks.paimon;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.testing.TpchQuery;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A benchmark of Stele's connector to Paimon lakes beside Paimon's own library and Iceberg.
 * Planning, lookups, filters and scans are measured in this process, through the connector as Trino
 * calls it; the queries of TPC-H in a Trino server.
 */
public final class PaimonBenchmark implements Benchmark {
    private static final int FILES = 100_000;
    private static final int ROWS = 5_000_000;

    /** For which there is a file in each partition and bucket of the smallest table. */
    private static final int FEWEST_FILES = 2_000;

    private static final Set<String> CASES = Set.of("planning", "files", "tpch", "s3");

    /** A quick run's queries of TPC-H. */
    private static final Set<String> QUICK = Set.of("q06", "q18");

    /** Held, since a logger that is not keeps no level. */
    private static final List<Logger> LOGGERS =
            List.of(
                    Logger.getLogger("org.apache.paimon"),
                    Logger.getLogger("org.apache.hadoop"),
                    Logger.getLogger("io.stele"),
                    Logger.getLogger("io.airlift"),
                    Logger.getLogger("Bootstrap"),
                    Logger.getLogger("io.stele.bootstrap"));

    @Override
    public String name() {
        return "paimon";
    }

    @Override
    public String description() {
        return "A lake of Apache Paimon: planning, lookups, filters and scans beside Paimon's"
                + " library, TPC-H beside Iceberg";
    }

    @Override
    public boolean isScalable() {
        return true;
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        LOGGERS.forEach(logger -> logger.setLevel(Level.SEVERE));
        double scale = options.scale().orElse(options.quick() ? 0.01 : 1.0);
        int warmUpRounds = options.quick() ? 0 : 3;
        int rounds = options.quick() ? 1 : 5;
        String only = options.only().orElse("");
        if (CASES.stream().noneMatch(name -> name.contains(only))) {
            throw new IllegalArgumentException(
                    "Expected --only with a part of one of %s, found '%s'".formatted(CASES, only));
        }
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (BenchmarkLake lake = BenchmarkLake.start(run)) {
            lake.forgetCaches();
            if ("planning".contains(only)) {
                int files = Math.max(FEWEST_FILES, (int) (FILES * scale));
                new PlanningPhase(lake, files, warmUpRounds, rounds, metrics).run();
            }
            if ("files".contains(only)) {
                new FilesPhase(lake, (long) (ROWS * scale), warmUpRounds, rounds, metrics).run();
            }
            boolean onDisk = "tpch".contains(only);
            boolean onS3 = "s3".contains(only);
            if (onDisk || onS3) {
                new TpchPhase(
                                run,
                                lake,
                                scale,
                                TpchQuery.all().stream()
                                        .filter(
                                                query ->
                                                        !options.quick()
                                                                || QUICK.contains(query.name()))
                                        .toList(),
                                options.quick() ? 0 : 2,
                                options.quick() ? 1 : 3,
                                onDisk,
                                onS3,
                                metrics)
                        .run();
            }
        }
        return new BenchmarkReport(
                name(),
                "%s, scale %s; 15 ms a request where cold".formatted(machine, scale),
                metrics.asMap(),
                targets(metrics));
    }

    /** One for each number, also where its case was left out. */
    private static List<Target> targets(Metrics metrics) {
        return List.of(
                atMost(PlanningPhase.WARM_CPU, 0.3, metrics),
                atMost(PlanningPhase.WARM_REQUESTS, 0, metrics),
                atMost(PlanningPhase.IMAGE_REQUESTS, 4, metrics),
                atMost(PlanningPhase.IMAGE_MEGABYTES, 1, metrics),
                atMost(PlanningPhase.COLD_RATIO, 0.5, metrics),
                atMost(PlanningPhase.HEAP, 150, metrics),
                atMost(FilesPhase.COLD_LOOKUP, 60, metrics),
                atMost(FilesPhase.WARM_LOOKUP, 1, metrics),
                atMost(FilesPhase.FILTER_RATIO, 0.5, metrics),
                atLeast(FilesPhase.SCAN_RATIO, 3, metrics),
                atLeast(TpchPhase.ORC_RATIO, 1, metrics),
                atLeast(TpchPhase.PARQUET_RATIO, 1, metrics),
                atLeast(TpchPhase.UPDATED_RATIO, 0.9, metrics),
                atLeast(TpchPhase.S3_RATIO, 2, metrics));
    }

    private static Target atMost(String name, double target, Metrics metrics) {
        return Target.atMost(name, target, value(name, metrics));
    }

    private static Target atLeast(String name, double target, Metrics metrics) {
        return Target.atLeast(name, target, value(name, metrics));
    }

    private static double value(String name, Metrics metrics) {
        return metrics.asMap().getOrDefault(name, Double.NaN);
    }
}
