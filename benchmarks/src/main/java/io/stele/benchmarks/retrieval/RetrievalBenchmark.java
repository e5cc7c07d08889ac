package io.stele.benchmarks.retrieval;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Medians;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Servers;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.testing.VersityGateway;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A benchmark of the client's processor time and throughput in reads of 16 MiB objects, by Stele
 * and by the clients of the AWS SDK. The objects are on versitygw, 32 are in flight, and each
 * client has a process of its own.
 */
public final class RetrievalBenchmark implements Benchmark {
    private static final double TARGET_CPU = 0.5;
    private static final double TARGET_THROUGHPUT = 1.0;
    private static final int READERS = 32;
    private static final int PASSES = 4;

    /** The compiler takes a fifth of each client's processor time in the first ones. */
    private static final int WARM_UP_PASSES = 8;

    private static final int OBJECT_BYTES = 16 << 20;

    /** The product's way, into arrays, and the one that it does not have, for comparison. */
    private static final List<ClientKind> OURS = List.of(ClientKind.STELE_ARRAYS, ClientKind.STELE);

    private static final List<ClientKind> PEERS =
            List.of(ClientKind.APACHE, ClientKind.CRT, ClientKind.TRANSFER_MANAGER);

    @Override
    public String name() {
        return "retrieval";
    }

    @Override
    public String description() {
        return "16 MiB objects from an S3 server: CPU and throughput beside the AWS SDK's clients";
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        int objects = options.quick() ? 8 : 128;
        int rounds = options.quick() ? 1 : 3;
        int warmUpPasses = options.quick() ? 1 : WARM_UP_PASSES;
        String machine = Machine.describe();
        List<ClientKind> kinds = new ArrayList<>(PEERS);
        kinds.addAll(0, OURS);
        kinds.removeIf(
                kind -> options.only().filter(only -> !kind.label().contains(only)).isPresent());
        Map<ClientKind, List<ClientMeasurement>> found = new EnumMap<>(ClientKind.class);
        Path folder = Run.load().path("state").resolve("retrieval");
        try (VersityGateway gateway = S3Servers.start(folder)) {
            try (ObjectStore store = S3Servers.store(gateway.port(), "", new RetrievalConfig())) {
                StoredObjects.write(store, objects, OBJECT_BYTES);
            }
            for (int round = 0; round < rounds; round++) {
                for (ClientKind kind : kinds) {
                    found.computeIfAbsent(kind, _ -> new ArrayList<>())
                            .add(
                                    ClientProcess.run(
                                            kind,
                                            gateway.port(),
                                            objects,
                                            OBJECT_BYTES,
                                            READERS,
                                            warmUpPasses,
                                            PASSES));
                }
                Collections.rotate(kinds, 1);
            }
        }
        return report(machine, found);
    }

    private BenchmarkReport report(String machine, Map<ClientKind, List<ClientMeasurement>> found) {
        Metrics metrics = new Metrics();
        found.forEach(
                (kind, rounds) -> {
                    metrics.put(
                            kind.label() + ": client CPU s/GiB",
                            median(rounds, ClientMeasurement::cpuSecondsPerGiB));
                    metrics.put(
                            kind.label() + ": MiB/s",
                            median(rounds, ClientMeasurement::mibPerSecond));
                    metrics.put(
                            kind.label() + ": p50 ms",
                            median(rounds, ClientMeasurement::p50Millis));
                    metrics.put(
                            kind.label() + ": p99 ms",
                            median(rounds, ClientMeasurement::p99Millis));
                });
        List<Target> targets = new ArrayList<>();
        ClientKind product = OURS.getFirst();
        if (found.keySet().containsAll(PEERS) && found.containsKey(product)) {
            double cpu =
                    PEERS.stream()
                            .mapToDouble(kind -> metrics.value(kind.label() + ": client CPU s/GiB"))
                            .min()
                            .orElseThrow();
            double throughput =
                    PEERS.stream()
                            .mapToDouble(kind -> metrics.value(kind.label() + ": MiB/s"))
                            .max()
                            .orElseThrow();
            targets.add(
                    Target.atMost(
                            product.label() + ": client CPU, times the best of the SDK's",
                            TARGET_CPU,
                            metrics.value(product.label() + ": client CPU s/GiB") / cpu));
            targets.add(
                    Target.atLeast(
                            product.label() + ": throughput, times the best of the SDK's",
                            TARGET_THROUGHPUT,
                            metrics.value(product.label() + ": MiB/s") / throughput));
        }
        return new BenchmarkReport(name(), machine, metrics.asMap(), targets);
    }

    private static double median(
            List<ClientMeasurement> rounds, ToDoubleFunction<ClientMeasurement> value) {
        return Medians.median(rounds.stream().mapToDouble(value).boxed().toList());
    }
}
