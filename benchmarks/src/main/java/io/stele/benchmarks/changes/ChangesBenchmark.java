package io.stele.benchmarks.changes;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import java.util.List;

/** A benchmark of the Java client's change feeds from a sidecar in a process of its own. */
public final class ChangesBenchmark implements Benchmark {
    @Override
    public String name() {
        return "changes";
    }

    @Override
    public String description() {
        return "Change feeds: one consumer behind and beside a writer, and what they cost it";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        try (SteleServers servers = new SteleServers(run)) {
            servers.startSidecar();
            try (SteleClient client = Clients.stele(run);
                    FlightClient flight = Clients.flight(run)) {
                new ChangePhases(options.quick(), client, flight, metrics).measure();
            }
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets(metrics));
    }

    /** The numbers of {@link ChangePhases} that have a target. */
    public static List<Target> targets(Metrics metrics) {
        return List.of(
                Target.atLeast(
                        ChangePhases.CONSUMED, 200_000, metrics.value(ChangePhases.CONSUMED)),
                Target.atMost(ChangePhases.COST, 0.03, metrics.value(ChangePhases.COST)));
    }
}
