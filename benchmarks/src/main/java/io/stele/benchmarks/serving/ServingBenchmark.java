package io.stele.benchmarks.serving;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.client.flight.FlightClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A benchmark of 1 KB rows served by key over the framed protocol and PostgreSQL's, beside
 * PostgreSQL 15 and Redis 7 in the same run. Every server is a process of its own; clients are this
 * process, pgbench, psql and YCSB's. Writes are durable everywhere before they are acknowledged. A
 * peer that is not installed leaves its rows of the report not met.
 *
 * <p>The phases, for {@code --only}: {@code keys} (closed loops of 1 to 128 clients), {@code tails}
 * (open loop at half of the peak, and beside scans), {@code pgbench} (with COPY), {@code ycsb} and,
 * last since it makes caches smaller, {@code memory} (a table ten times the caches).
 */
public final class ServingBenchmark implements Benchmark {
    private static final int BUFFER_MEGABYTES = 2_048;

    @Override
    public String name() {
        return "serving";
    }

    @Override
    public String description() {
        return "rows by key over the framed protocol and PostgreSQL's, beside PostgreSQL and Redis";
    }

    @Override
    public boolean isScalable() {
        return true;
    }

    /** A part of the benchmark. */
    @FunctionalInterface
    private interface Phase {
        void run(ServingContext context) throws Exception;
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        Run run = Run.load();
        String machine = Machine.describe();
        Path folder = Files.createDirectories(run.path("state").resolve("serving"));
        Metrics metrics = new Metrics();
        try (Peers peers = new Peers();
                SteleServers servers = new SteleServers(run)) {
            peers.start(folder);
            servers.startSidecar();
            ServingContext context =
                    new ServingContext(
                            run,
                            servers,
                            Optional.ofNullable(peers.postgres),
                            Optional.ofNullable(peers.redis),
                            Pgbench.find(),
                            ServingSize.of(options.quick(), options.scale().orElse(1.0)),
                            metrics,
                            new ArrayList<>());
            load(context);
            options.scale().ifPresent(scale -> metrics.put("scale", scale));
            phase("keys", options, context, own -> new KeysPhase(own).run());
            phase("tails", options, context, own -> new TailsPhase(own).run());
            phase("pgbench", options, context, own -> new PgbenchPhase(own).run());
            phase("ycsb", options, context, own -> new YcsbPhase(own).run());
            phase("memory", options, context, own -> new SmallMemoryPhase(own).run());
            return new BenchmarkReport(name(), machine, metrics.asMap(), context.targets());
        }
    }

    private static void phase(
            String name, BenchmarkOptions options, ServingContext context, Phase phase)
            throws Exception {
        if (options.only().isEmpty() || name.contains(options.only().orElseThrow())) {
            long start = System.nanoTime();
            try {
                phase.run(context);
            } catch (Exception e) {
                System.out.println("The phase " + name + " failed. Measured before:");
                System.out.print(
                        new BenchmarkReport(
                                        "serving",
                                        Machine.describe(),
                                        context.metrics().asMap(),
                                        context.targets())
                                .text());
                throw e;
            }
            System.out.println(name + ": " + (System.nanoTime() - start) / 1_000_000_000 + " s");
        }
    }

    private static void load(ServingContext context) throws Exception {
        ServingRows rows = new ServingRows(context.size().rows());
        List<PostgresAddress> servers = new ArrayList<>(List.of(context.stele()));
        context.postgres().ifPresent(peer -> servers.add(peer.address()));
        String table = UserTable.SCHEMA + "." + ServingRows.TABLE;
        try (FlightClient flight = Clients.flight(context.run())) {
            ServingTables.createRows(flight, context.postgres());
            for (PostgresAddress server : servers) {
                ServingTables.copy(server, table, rows.count(), ServingRows::copyLine);
            }
            ServingTables.flush(flight, UserTable.SCHEMA, ServingRows.TABLE);
        }
        if (context.postgres().isPresent()) {
            context.postgres().orElseThrow().execute("VACUUM ANALYZE " + table);
            context.postgres().orElseThrow().execute("CHECKPOINT");
        }
        if (context.redis().isPresent()) {
            new RedisStore(context.redis().orElseThrow().port()).load(rows);
        }
    }

    /** The servers beside Stele, as far as they are installed. */
    private static final class Peers implements AutoCloseable {
        private @Nullable PostgresPeer postgres;
        private @Nullable RedisPeer redis;

        void start(Path folder) throws InterruptedException {
            postgres =
                    PostgresPeer.start(folder.resolve("postgresql"), BUFFER_MEGABYTES).orElse(null);
            redis = RedisPeer.start(folder.resolve("redis")).orElse(null);
        }

        @Override
        public void close() {
            if (redis != null) {
                redis.close();
            }
            if (postgres != null) {
                postgres.close();
            }
        }
    }
}
