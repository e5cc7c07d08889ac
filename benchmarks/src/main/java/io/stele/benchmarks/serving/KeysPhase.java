package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.ProcessCpu;
import io.stele.benchmarks.serving.Contenders.Action;
import io.stele.benchmarks.serving.Contenders.Case;
import io.stele.benchmarks.serving.KeyLoad.Keys;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The phase of the serving benchmark that measures gets, multi-gets and durable upserts of rows in
 * memory in closed loops. PostgreSQL's number is the better of pgbench's and JDBC's.
 */
final class KeysPhase {
    private static final int MULTI_GET_KEYS = 100;
    private static final int MULTI_GET_THREADS = 8;

    /** Measured on another day, on the same kind of machine: neither runs beside this one. */
    private static final double KUDU_GETS = 15_702;

    private static final double HBASE_GETS = 11_100;

    private final ServingContext context;
    private final Samples samples = new Samples();

    KeysPhase(ServingContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    void run() throws Exception {
        try (Contenders contenders = new Contenders(context)) {
            contenders.warmUp(Action.GET);
            for (int clients : context.size().clients()) {
                for (Keys keys : Keys.values()) {
                    if (isWanted(clients, keys)) {
                        contenders.measure(new Case(Action.GET, clients, keys), samples);
                    }
                }
            }
            multiGet(contenders);
            contenders.warmUp(Action.UPSERT);
            for (int clients : context.size().clients()) {
                contenders.measure(new Case(Action.UPSERT, clients, Keys.UNIFORM), samples);
            }
            if (!context.size().quick()) {
                contenders.measure(
                        new Case(Action.UPSERT, ServingSize.CLIENTS, Keys.ZIPF), samples);
            }
        }
        samples.report(context.metrics());
        gets();
        oneClient();
        context.atLeast(
                "multi-get of 100 keys, 8 threads: keys/s",
                400_000,
                context.measured(multiGetName(Contenders.FRAMED) + ": keys/s"));
        upserts();
    }

    private boolean isWanted(int clients, Keys keys) {
        return !context.size().quick() || keys == Keys.UNIFORM || clients == ServingSize.CLIENTS;
    }

    private static String multiGetName(String store) {
        return "multi-get of %d keys, %d threads, %s"
                .formatted(MULTI_GET_KEYS, MULTI_GET_THREADS, store);
    }

    private void multiGet(Contenders contenders) throws Exception {
        for (int round = context.size().quick() ? 0 : -1;
                round < context.size().rounds();
                round++) {
            for (ServingStore store : contenders.stores()) {
                KeyLoad load =
                        new KeyLoad(store, MULTI_GET_THREADS, context.size().rows(), Keys.UNIFORM);
                long cpu = ProcessCpu.nanos(context.servers().sidecarPid());
                KeyLoad.Result result =
                        load.closedLoop(
                                KeyLoad.multiGet(MULTI_GET_KEYS),
                                context.size().duration(),
                                round + 2L);
                double cpuNanos = ProcessCpu.nanos(context.servers().sidecarPid()) - cpu;
                if (round < 0) {
                    continue;
                }
                String name = multiGetName(store.name());
                samples.add(name + ": keys/s", result.perSecond() * MULTI_GET_KEYS);
                samples.add(name + ": p99 ms", result.millis(99));
                if (store.name().startsWith("Stele")) {
                    samples.add(
                            name + ": sidecar CPU us/key",
                            cpuNanos / 1e3 / MULTI_GET_KEYS / result.nanos().getTotalCount());
                }
            }
        }
    }

    private void gets() {
        Case setting = new Case(Action.GET, ServingSize.CLIENTS, Keys.UNIFORM);
        String framed = setting.name(Contenders.FRAMED) + ": ops/s";
        String prefix = "framed gets, 32 clients: ";
        context.atLeast(prefix + "gets/s", 60_000, context.measured(framed));
        context.atLeast(
                prefix + "times PostgreSQL", 1.5, ratioToPostgres(setting, Contenders.FRAMED));
        context.atLeast(
                prefix + "times PostgreSQL, one Stele client shared by the 32",
                1.5,
                ratioToPostgres(setting, Contenders.SHARED));
        context.atLeast(
                prefix + "times Kudu, by its documented anchor of 15,702/s, not run here",
                3.5,
                context.measured(framed).map(value -> value / KUDU_GETS));
        context.atLeast(
                prefix + "times HBase, by its documented anchor of 11,100/s, not run here",
                5,
                context.measured(framed).map(value -> value / HBASE_GETS));
        context.atLeast(
                prefix + "times Redis (moonshot)",
                1,
                context.ratio(framed, setting.name(Contenders.REDIS) + ": ops/s"));
    }

    /** Empty where PostgreSQL was not measured. */
    private Optional<Double> ratioToPostgres(Case setting, String contender) {
        Optional<Double> postgres =
                Stream.of(Contenders.PGBENCH_POSTGRESQL, Contenders.JDBC_POSTGRESQL)
                        .flatMap(peer -> context.measured(setting.name(peer) + ": ops/s").stream())
                        .max(Double::compare);
        return context.measured(setting.name(contender) + ": ops/s")
                .flatMap(value -> postgres.map(peer -> value / peer));
    }

    private void oneClient() {
        for (Action action : Action.values()) {
            Case setting = new Case(action, 1, Keys.UNIFORM);
            String peer = setting.name(Contenders.JDBC_POSTGRESQL) + ": p50 ms";
            for (String contender : new String[] {Contenders.FRAMED, Contenders.JDBC_STELE}) {
                String own = setting.name(contender) + ": p50 ms";
                context.atMost(
                        "one client: p50 of a %s, times PostgreSQL by JDBC, %s"
                                .formatted(
                                        action == Action.GET ? "get" : "durable upsert", contender),
                        1,
                        context.ratio(own, peer));
            }
        }
    }

    private void upserts() {
        Case setting = new Case(Action.UPSERT, ServingSize.CLIENTS, Keys.UNIFORM);
        String prefix = "durable upserts, 32 clients: ";
        context.atLeast(
                prefix + "upserts/s",
                30_000,
                context.measured(setting.name(Contenders.FRAMED) + ": ops/s"));
        context.atLeast(
                prefix + "times PostgreSQL with synchronous_commit",
                1.5,
                ratioToPostgres(setting, Contenders.FRAMED));
        context.atLeast(
                prefix
                        + "times PostgreSQL with synchronous_commit, one Stele client shared by the 32",
                1.5,
                ratioToPostgres(setting, Contenders.SHARED));
    }
}
