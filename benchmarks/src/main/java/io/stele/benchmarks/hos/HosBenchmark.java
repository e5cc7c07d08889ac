package io.stele.benchmarks.hos;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A benchmark of the scheduler: costs of a task and a switch beside the JDK's pools and virtual
 * threads, and on a real sidecar, through its ports, lookups beside scans and the shares of queries
 * that come and go. A run is whole. Simulations in virtual time are tests of the scheduler.
 */
public final class HosBenchmark implements Benchmark {
    @Override
    public String name() {
        return "hos";
    }

    @Override
    public String description() {
        return "The scheduler: costs, lookups beside scans of a sidecar, and shares of queries after Figure 8(b) of Hologres";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        String machine = Machine.describe();
        ContextMemory.measure(options.quick() ? 200_000 : 1_000_000, metrics, targets);
        costs(options, metrics, targets);
        Path plot = options.repository().resolve(".stele/bench/hos-figure-8b.svg");
        new SidecarPhase(options.quick(), plot).run(metrics, targets);
        System.out.println("Shares over time: " + plot);
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets);
    }

    private static void costs(BenchmarkOptions options, Metrics metrics, List<Target> targets)
            throws RunnerException {
        ChainedOptionsBuilder jmh =
                new OptionsBuilder()
                        .include(BenchmarkScheduler.class.getName() + "\\.")
                        .verbosity(VerboseMode.SILENT);
        if (options.quick()) {
            jmh.warmupIterations(1)
                    .warmupTime(TimeValue.milliseconds(300))
                    .measurementIterations(2)
                    .measurementTime(TimeValue.milliseconds(300));
        }
        Collection<RunResult> results = new Runner(jmh.build()).run();
        for (RunResult result : results) {
            String benchmark = result.getParams().getBenchmark();
            String name = benchmark.substring(benchmark.lastIndexOf('.') + 1);
            double nanos = result.getPrimaryResult().getScore();
            metrics.put(name + ": ns", nanos);
            switch (name) {
                case "submitToContext" ->
                        targets.add(Target.atMost("submit to a context and run it, ns", 50, nanos));
                case "switchContexts" ->
                        targets.add(Target.atMost("wake and switch to a context, ns", 150, nanos));
                default -> {
                    // for comparison
                }
            }
        }
    }
}
