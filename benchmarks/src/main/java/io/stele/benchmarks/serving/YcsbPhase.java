package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.serving.ycsb.JdbcYcsbClient;
import io.stele.benchmarks.serving.ycsb.RedisYcsbClient;
import io.stele.benchmarks.serving.ycsb.SteleYcsbClient;
import io.stele.client.flight.FlightClient;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import site.ycsb.DB;

/**
 * The phase of the serving benchmark that runs YCSB's core workloads A to F by YCSB's own client, a
 * process for each. YCSB's order is load, A, B, C, F, D, a new load, E. One round. A workload with
 * an operation that failed has no throughput.
 */
final class YcsbPhase {
    private static final String FRAMED = "Stele framed";
    private static final String JDBC_STELE = ServingContext.PORT + ", JDBC";
    private static final String JDBC_POSTGRESQL = ServingContext.POSTGRESQL + ", JDBC";

    private static final List<YcsbWorkload> FIRST_LOAD =
            List.of(YcsbWorkload.A, YcsbWorkload.B, YcsbWorkload.C, YcsbWorkload.F, YcsbWorkload.D);

    /**
     * A store as YCSB reaches it.
     *
     * @param properties of the binding
     * @param recreate makes its table anew, without rows
     */
    private record Binding(
            String name,
            Class<? extends DB> type,
            Map<String, String> properties,
            Recreation recreate) {}

    @FunctionalInterface
    private interface Recreation {
        void run() throws SQLException, IOException;
    }

    private final ServingContext context;
    private final YcsbProcess process;

    YcsbPhase(ServingContext context) {
        this.context = requireNonNull(context, "context is null");
        this.process = new YcsbProcess(context.folder(), context.size());
    }

    void run() throws Exception {
        try (FlightClient flight = Clients.flight(context.run())) {
            ServingTables.createYcsb(flight);
            for (Binding binding : bindings(flight)) {
                load(binding);
                for (YcsbWorkload workload : FIRST_LOAD) {
                    measure(binding, workload);
                }
                if (!context.size().quick()) {
                    load(binding);
                }
                measure(binding, YcsbWorkload.E);
            }
        }
        for (YcsbWorkload workload : YcsbWorkload.values()) {
            for (String own : List.of(FRAMED, JDBC_STELE)) {
                targets(workload, own);
            }
        }
    }

    private void targets(YcsbWorkload workload, String own) {
        String name = "YCSB %s: times PostgreSQL, %s".formatted(workload, own);
        Optional<Double> peer = context.measured(metric(workload, JDBC_POSTGRESQL));
        Optional<Double> measured = context.measured(metric(workload, own));
        if (peer.isPresent() && measured.isEmpty()) {
            context.atLeast(name + " (operations failed or are not there)", 1, Optional.of(0.0));
        } else {
            context.atLeast(name, 1, measured.flatMap(value -> peer.map(other -> value / other)));
        }
    }

    private List<Binding> bindings(FlightClient flight) {
        List<Binding> bindings = new ArrayList<>();
        Recreation recreateStele =
                () -> {
                    UserTable.drop(flight, ServingTables.YCSB_TABLE);
                    ServingTables.createYcsb(flight);
                };
        bindings.add(
                new Binding(
                        FRAMED,
                        SteleYcsbClient.class,
                        Map.of("stele.port", context.run().value("sidecar.client.port")),
                        recreateStele));
        bindings.add(
                new Binding(
                        JDBC_STELE, JdbcYcsbClient.class, jdbc(context.stele()), recreateStele));
        context.postgres()
                .ifPresent(
                        peer ->
                                bindings.add(
                                        new Binding(
                                                JDBC_POSTGRESQL,
                                                JdbcYcsbClient.class,
                                                jdbc(peer.address()),
                                                () -> ServingTables.createYcsb(peer))));
        context.redis()
                .ifPresent(
                        peer ->
                                bindings.add(
                                        new Binding(
                                                "Redis",
                                                RedisYcsbClient.class,
                                                Map.of("redis.port", Integer.toString(peer.port())),
                                                () -> flushRedis(peer))));
        return bindings;
    }

    private static Map<String, String> jdbc(PostgresAddress address) {
        return Map.of("jdbc.url", address.jdbcUrl(), "jdbc.user", address.user());
    }

    private static void flushRedis(RedisPeer peer) throws IOException {
        try (RespConnection connection = RespConnection.open(PostgresAddress.HOST, peer.port())) {
            connection.call(List.of("FLUSHALL"));
        }
    }

    private void load(Binding binding) throws Exception {
        binding.recreate().run();
        YcsbProcess.Result result =
                process.run(YcsbWorkload.A, true, binding.type(), binding.properties());
        if (result.failures() > 0) {
            throw new IllegalStateException(
                    "Expected every row of YCSB inserted over %s, %d were not"
                            .formatted(binding.name(), result.failures()));
        }
        context.metrics().put("YCSB load, %s: ops/s".formatted(binding.name()), result.perSecond());
    }

    private static String metric(YcsbWorkload workload, String binding) {
        return "YCSB %s, %s: ops/s".formatted(workload, binding);
    }

    private void measure(Binding binding, YcsbWorkload workload)
            throws IOException, InterruptedException {
        YcsbProcess.Result result =
                process.run(workload, false, binding.type(), binding.properties());
        String name = "YCSB %s, %s: ".formatted(workload, binding.name());
        if (result.failures() > 0) {
            context.metrics().put(name + "operations that failed", (double) result.failures());
            return;
        }
        context.metrics().put(metric(workload, binding.name()), result.perSecond());
        for (YcsbWorkload.Operation operation : workload.operations()) {
            OptionalDouble p99 = result.p99Micros(operation.name());
            if (p99.isPresent()) {
                context.metrics().put(name + operation + " p99 us", p99.orElseThrow());
            }
        }
    }
}
