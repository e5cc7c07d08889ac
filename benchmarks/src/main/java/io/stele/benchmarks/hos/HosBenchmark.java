package io.stele.benchmarks.hos;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.scheduler.FairPoolOptions;
import io.stele.scheduler.SimulatedBurst;
import io.stele.scheduler.SimulatedServing;
import io.stele.scheduler.Urgency;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A benchmark of the scheduler: costs of a task and a switch beside the JDK's pools and virtual
 * threads, fairness, and waits of short requests. Fairness and waits are simulated in virtual time.
 */
public final class HosBenchmark implements Benchmark {
    private static final double MICROSECOND = 1_000;
    private static final double MILLISECOND = 1_000_000;
    private static final FairPoolOptions TWO_WORKERS = FairPoolOptions.of(2);
    private static final FairPoolOptions LONG_QUANTUM =
            TWO_WORKERS.withQuantumNanos((long) MILLISECOND);

    @Override
    public String name() {
        return "hos";
    }

    @Override
    public String description() {
        return "The scheduler: costs, fairness after Figure 8(b) of Hologres, latency beside computations";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Metrics metrics = new Metrics();
        List<Target> targets = new ArrayList<>();
        if (isWanted("simulation", options)) {
            fairness(options, metrics, targets);
            latency(options, metrics, targets);
        }
        if (isWanted("costs", options)) {
            ContextMemory.measure(options.quick() ? 200_000 : 1_000_000, metrics, targets);
            costs(options, metrics, targets);
        }
        if (isWanted("sidecar", options)) {
            new SidecarPhase(options.quick()).run(metrics, targets);
        }
        return new BenchmarkReport(name(), Machine.describe(), metrics.asMap(), targets);
    }

    private static boolean isWanted(String name, BenchmarkOptions options) {
        return options.only().isEmpty() || name.contains(options.only().get());
    }

    private static void fairness(BenchmarkOptions options, Metrics metrics, List<Target> targets)
            throws Exception {
        int seeds = options.quick() ? 10 : 200;
        double deviation = 0;
        double deviationOfLongQuantum = 0;
        double burstMillis = 0;
        for (int seed = 0; seed < seeds; seed++) {
            deviation = Math.max(deviation, burst(TWO_WORKERS, 100, seed).maxDeviation());
            deviationOfLongQuantum =
                    Math.max(deviationOfLongQuantum, burst(LONG_QUANTUM, 100, seed).maxDeviation());
            long nanos = burst(TWO_WORKERS, 5, seed).nanosUntilFair(5, 30, 0.1);
            burstMillis = Math.max(burstMillis, nanos / MILLISECOND);
        }
        metrics.put("simulated bursts", seeds);
        metrics.put(
                "quantum 200 us: largest deviation from equal shares in 100 ms, %",
                100 * deviation);
        metrics.put(
                "quantum 1 ms: largest deviation from equal shares in 100 ms, %",
                100 * deviationOfLongQuantum);
        metrics.put(
                "quantum 200 us: ms until shares over 100 ms are within 10 % after 5 arrivals",
                burstMillis);
        targets.add(Target.atMost("deviation from equal shares in 100 ms, %", 5, 100 * deviation));
        targets.add(Target.atMost("burst of 5 queries: ms until fair again", 50, burstMillis));

        Path plot = options.repository().resolve(".stele/bench/hos-figure-8b.svg");
        Files.createDirectories(plot.getParent());
        BurstPlot.write(burst(TWO_WORKERS, 100, 1), plot);
        System.out.println("Shares over time: " + plot);
    }

    private static SimulatedBurst.Result burst(FairPoolOptions pool, int windowMillis, int seed) {
        return SimulatedBurst.run(
                pool,
                SimulatedBurst.paper(),
                windowMillis * (long) MILLISECOND,
                new SplittableRandom(seed));
    }

    private static void latency(BenchmarkOptions options, Metrics metrics, List<Target> targets) {
        int requests = options.quick() ? 20_000 : 200_000;
        for (int computations : new int[] {0, 1, 4, 16}) {
            SimulatedServing.Load load =
                    new SimulatedServing.Load(
                            computations,
                            20 * (long) MICROSECOND,
                            50 * (long) MICROSECOND,
                            (long) MILLISECOND,
                            requests);
            String name = "50 us request beside " + computations + " computations, ";
            SimulatedServing.Result latency = serve(Urgency.LATENCY, load);
            metrics.put(name + "latency class: p50 us", latency.p50Nanos() / MICROSECOND);
            metrics.put(name + "latency class: p99 us", latency.p99Nanos() / MICROSECOND);
            metrics.put(
                    name + "as any query: p99 us",
                    serve(Urgency.NORMAL, load).p99Nanos() / MICROSECOND);
            if (computations == 16) {
                targets.add(Target.atMost(name + "p99 us", 100, latency.p99Nanos() / MICROSECOND));
            }
        }
    }

    private static SimulatedServing.Result serve(Urgency urgency, SimulatedServing.Load load) {
        return SimulatedServing.run(TWO_WORKERS, urgency, load, new SplittableRandom(7));
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
