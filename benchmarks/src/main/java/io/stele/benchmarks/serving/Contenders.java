package io.stele.benchmarks.serving;

import io.stele.benchmarks.ingest.UserRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The compared stores of the serving benchmark, with the runs of its gets and upserts on them. Each
 * store has a client in Java; servers of PostgreSQL's protocol are also measured by pgbench.
 * Confined to one thread.
 */
final class Contenders implements AutoCloseable {
    /** Each client has its own connections. */
    static final String FRAMED = "Stele framed";

    static final String SHARED = "Stele framed, one client shared";
    static final String JDBC_STELE = ServingContext.PORT + ", JDBC";
    static final String JDBC_POSTGRESQL = ServingContext.POSTGRESQL + ", JDBC";
    static final String REDIS = "Redis";
    static final String PGBENCH_STELE = ServingContext.PORT + ", pgbench";
    static final String PGBENCH_POSTGRESQL = ServingContext.POSTGRESQL + ", pgbench";

    /** What is done with rows. */
    enum Action {
        GET("get", KeyLoad.GET),
        UPSERT("durable upsert", KeyLoad.UPSERT);

        private final String text;
        private final KeyLoad.Operation operation;

        Action(String text, KeyLoad.Operation operation) {
            this.text = text;
            this.operation = operation;
        }

        KeyLoad.Operation operation() {
            return operation;
        }
    }

    /** One setting that all are measured in. */
    record Case(Action action, int clients, KeyLoad.Keys keys) {
        String name(String contender) {
            return "%s, %d clients, %s, %s"
                    .formatted(
                            action.text,
                            clients,
                            keys == KeyLoad.Keys.UNIFORM ? "uniform" : "zipf",
                            contender);
        }
    }

    private final ServingContext context;
    private final List<ServingStore> stores = new ArrayList<>();
    private int turn;

    Contenders(ServingContext context) {
        this.context = context;
        stores.add(FramedStore.ofClients(context.run()));
        stores.add(FramedStore.ofOneClient(context.run()));
        stores.add(new JdbcStore(JDBC_STELE, context.stele()));
        context.postgres()
                .ifPresent(peer -> stores.add(new JdbcStore(JDBC_POSTGRESQL, peer.address())));
        context.redis().ifPresent(peer -> stores.add(new RedisStore(peer.port())));
    }

    List<ServingStore> stores() {
        return Collections.unmodifiableList(stores);
    }

    /** Lets the code of clients and servers be compiled, by what is measured next. */
    void warmUp(Action action) throws Exception {
        if (!context.size().quick()) {
            for (ServingStore store : stores) {
                load(store, new Case(action, ServingSize.CLIENTS, KeyLoad.Keys.UNIFORM))
                        .closedLoop(action.operation(), context.size().duration(), turn++);
            }
        }
    }

    private KeyLoad load(ServingStore store, Case setting) {
        return new KeyLoad(store, setting.clients(), context.size().rows(), setting.keys());
    }

    /** Measures each in turn, {@code rounds} times. */
    void measure(Case setting, Samples samples) throws Exception {
        for (int round = 0; round < context.size().rounds(); round++) {
            List<ServingStore> order = new ArrayList<>(stores);
            Collections.rotate(order, turn++);
            for (ServingStore store : order) {
                samples.add(
                        setting.name(store.name()),
                        load(store, setting)
                                .closedLoop(
                                        setting.action().operation(),
                                        context.size().duration(),
                                        turn));
            }
            measureByPgbench(setting, samples);
        }
    }

    private void measureByPgbench(Case setting, Samples samples) throws Exception {
        if (context.pgbench().isEmpty()) {
            return;
        }
        Path script = script(setting);
        Pgbench pgbench = context.pgbench().orElseThrow();
        samples.add(
                setting.name(PGBENCH_STELE) + ": ops/s",
                pgbench(pgbench, context.stele(), script, setting.clients()));
        if (context.postgres().isPresent()) {
            samples.add(
                    setting.name(PGBENCH_POSTGRESQL) + ": ops/s",
                    pgbench(
                            pgbench,
                            context.postgres().orElseThrow().address(),
                            script,
                            setting.clients()));
        }
    }

    private double pgbench(Pgbench pgbench, PostgresAddress server, Path script, int clients)
            throws IOException, InterruptedException {
        return pgbench.run(
                server,
                List.of("--file=" + script),
                context.size().rows(),
                clients,
                context.size().seconds());
    }

    private Path script(Case setting) throws IOException {
        String draw =
                switch (setting.keys()) {
                    case UNIFORM -> "random(1, :rows)";
                    // The nearest to 0.99 that pgbench has; scattered over the keys
                    case ZIPF -> "permute(random_zipfian(1, :rows, 1.001), :rows) + 1";
                };
        String statement =
                switch (setting.action()) {
                    case GET -> ServingRows.GET + ":id";
                    case UPSERT -> ServingRows.UPSERT.formatted(":id, " + literals());
                };
        Path script =
                context.folder().resolve("%s-%s.sql".formatted(setting.action(), setting.keys()));
        return Files.writeString(script, "\\set id %s\n%s;\n".formatted(draw, statement));
    }

    private static String literals() {
        Object[] values = ServingRows.values(1);
        return IntStream.rangeClosed(1, UserRows.FIELDS)
                .mapToObj(column -> "'" + letters((String) values[column]) + "'")
                .collect(Collectors.joining(", "));
    }

    /** pgbench takes colons for variables, and quotes end a text. */
    private static String letters(String text) {
        return text.replaceAll("[^0-9A-Za-z]", "_");
    }

    @Override
    public void close() throws Exception {
        for (ServingStore store : stores) {
            store.close();
        }
    }
}
