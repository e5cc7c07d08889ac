package io.stele.benchmarks.retrieval;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Latencies;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Servers;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.VersityGateway;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A benchmark of the latency tails of 16 MiB reads from a slow S3 server, by Stele with and without
 * hedging and by the SDK. A request takes 30 ms and 20 ms a MiB, and ten times as long for one
 * request in twenty. Within a seed every policy meets the same stragglers.
 */
public final class TailBenchmark implements Benchmark {
    private static final double TARGET_P99 = 0.25;
    private static final double TARGET_EXTRA = 0.05;
    private static final int READERS = 8;
    private static final double STRAGGLERS = 0.05;
    private static final double STRAGGLER_FACTOR = 10;
    private static final int MIB = 1 << 20;
    private static final int OFFSETS = 4;
    private static final List<ClientKind> POLICIES =
            List.of(ClientKind.STELE_ARRAYS, ClientKind.STELE_UNHEDGED, ClientKind.APACHE);

    @Override
    public String name() {
        return "tail";
    }

    @Override
    public String description() {
        return "latencies of reads from an S3 server with stragglers, with and without hedging";
    }

    /** The results of one policy over all seeds. */
    private static final class Found {
        private final Latencies latencies = new Latencies();
        private long wantedBytes;
        private long sentBytes;
        private long reads;
        private long stragglers;
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        int objects = options.quick() ? 16 : 64;
        int readBytes = (options.quick() ? 4 : 16) * MIB;
        int seeds = options.quick() ? 1 : 5;
        String machine = Machine.describe();
        Map<ClientKind, Found> found = new EnumMap<>(ClientKind.class);
        POLICIES.forEach(policy -> found.put(policy, new Found()));
        List<ReadLoad.Read> reads = new ArrayList<>();
        for (int offset = 0; offset < OFFSETS; offset++) {
            for (int object = 0; object < objects; object++) {
                reads.add(new ReadLoad.Read(object, (long) offset * MIB));
            }
        }
        Path folder = Run.load().path("state").resolve("tail");
        try (VersityGateway gateway = S3Servers.start(folder);
                DelayingS3Proxy proxy =
                        DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE)) {
            try (ObjectStore store = S3Servers.store(gateway.port(), "", new RetrievalConfig())) {
                StoredObjects.write(store, objects, readBytes + (OFFSETS - 1) * MIB);
            }
            List<ClientKind> policies = new ArrayList<>(POLICIES);
            for (int seed = 1; seed <= seeds; seed++) {
                for (ClientKind policy : policies) {
                    measure(
                            policy,
                            proxy,
                            reads,
                            readBytes,
                            seed,
                            requireNonNull(found.get(policy)));
                }
                Collections.rotate(policies, 1);
            }
        }
        return report(machine, found);
    }

    private static void measure(
            ClientKind policy,
            DelayingS3Proxy proxy,
            List<ReadLoad.Read> reads,
            int readBytes,
            long seed,
            Found found)
            throws Exception {
        try (ObjectClient client = policy.open(proxy.port(), READERS)) {
            ReadLoad load = new ReadLoad(client, policy, READERS, readBytes);
            proxy.newRound(InjectedDelays.S3);
            load.run(reads.subList(0, 32), true, new Latencies());
            proxy.newRound(InjectedDelays.S3.withStragglers(STRAGGLERS, STRAGGLER_FACTOR, seed));
            load.run(reads, false, found.latencies);
            found.wantedBytes += (long) reads.size() * readBytes;
            found.sentBytes += proxy.sentBytes();
            found.reads += proxy.reads();
            found.stragglers += proxy.stragglers();
        }
    }

    private BenchmarkReport report(String machine, Map<ClientKind, Found> found) {
        Metrics metrics = new Metrics();
        found.forEach(
                (policy, of) -> {
                    for (double percentile : new double[] {50, 90, 99, 100}) {
                        metrics.put(
                                "%s: %s ms"
                                        .formatted(
                                                policy.label(),
                                                percentile == 100 ? "max" : "p" + (int) percentile),
                                of.latencies.millis(percentile));
                    }
                    metrics.put(policy.label() + ": requests", (double) of.reads);
                    metrics.put(policy.label() + ": stragglers", (double) of.stragglers);
                    metrics.put(
                            policy.label() + ": extra bytes, share",
                            (double) of.sentBytes / of.wantedBytes - 1);
                });
        return new BenchmarkReport(
                name(),
                machine,
                metrics.asMap(),
                List.of(
                        Target.atMost(
                                "p99, times that of the SDK without hedging",
                                TARGET_P99,
                                metrics.value("stele-arrays: p99 ms")
                                        / metrics.value("apache: p99 ms")),
                        Target.atMost(
                                "extra bytes, share of those wanted",
                                TARGET_EXTRA,
                                metrics.value("stele-arrays: extra bytes, share"))));
    }
}
