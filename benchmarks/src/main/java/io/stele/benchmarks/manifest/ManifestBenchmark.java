package io.stele.benchmarks.manifest;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import java.util.ArrayList;
import java.util.List;

/**
 * A benchmark of a sidecar with a heap of 1 GB that serves a table of 100,000 and of 1,000,000 data
 * files, on S3 with its latency: its start, plans of one partition and key, its memory, and a
 * flush. The manifests are real; the data files are not there, since planning does not open them.
 *
 * <p>Beside it, plans of as many files in a table of Apache Paimon, in this process on a folder.
 */
public final class ManifestBenchmark implements Benchmark {
    private static final int ROUNDS_OF_PAIMON = 5;

    /** A million would take longer to commit than all else here. */
    private static final int FILES_OF_PAIMON = 100_000;

    @Override
    public String name() {
        return "manifest";
    }

    @Override
    public String description() {
        return "a sidecar with 100,000 and 1,000,000 data files in 100 partitions and 4 shards on S3:"
                + " start, plans of one partition and key, heap; beside Paimon";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        List<Integer> all = options.quick() ? List.of(10_000) : List.of(100_000, 1_000_000);
        String only = options.only().orElse("");
        List<Integer> sizes =
                all.stream().filter(size -> Integer.toString(size).startsWith(only)).toList();
        Run run = Run.load();
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        String machine = Machine.describe();
        if (only.isEmpty()) {
            PaimonPlans.measure(
                    options.quick() ? sizes.getFirst() : FILES_OF_PAIMON,
                    options.quick() ? 1 : ROUNDS_OF_PAIMON,
                    metrics);
        }
        for (int size : sizes) {
            ServedManifests.measure(run, size, metrics);
            targets.addAll(ServedManifests.targets(size, metrics));
        }
        return new BenchmarkReport(
                name(), machine + ", reads of 30 ms + 20 ms/MiB", metrics.asMap(), targets);
    }
}
