package io.stele.benchmarks.choices;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.LoadedTable;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.TpchQuery;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * A benchmark of TPC-H, star schema and dashboard queries from S3 with its latency, by the defaults
 * and with each choice of the connector forced: lookups of keys, index joins, aggregation in the
 * sidecar, decoded columns, and narrowing by joins. No query may take longer by the defaults than
 * {@value #MOST_TIMES} times the best of them, and {@value #NOISE_MILLIS} ms more, which are three
 * requests.
 *
 * <p>The store is versitygw behind a proxy that gives reads the latency of S3: 30 ms and 20 ms a
 * MiB, a fifth more or less. Cold: for each choice in each round both servers are started and all
 * that they cached on disk is deleted; their code is then warmed by other tables, and queries
 * follow one another. Warm: interleaved, in an order that rotates, without results of earlier
 * queries, and then with them, as by default. Every result is compared with the first one. What
 * counts is the least of the rounds, because what else runs on the machine only adds.
 */
public final class ChoicesBenchmark implements Benchmark {
    private static final double MOST_TIMES = 1.3;
    private static final double NOISE_MILLIS = 100;

    private static final String SCHEMA = "bench";

    /** The tables in small, for code that is to be compiled and caches that are not. */
    private static final String OTHER_SCHEMA = "other";

    private static final String CATALOG = "stele";
    private static final String COLD = "cold";
    private static final String WARM = "warm";
    private static final String WARM_CACHED = "warm, cached results";

    /** Of the other tables, by which code is compiled. */
    private static final int OTHER_ROUNDS = 2;

    /** With --quick, if none are named: some of each kind. */
    private static final Set<String> QUICK = Set.of("q18", "s02", "s09", "d01");

    @Override
    public String name() {
        return "choices";
    }

    @Override
    public String description() {
        return "TPC-H, a star schema and dashboards from S3 with its latency, by the defaults and with each choice of the connector forced; fails where a default is wrong";
    }

    @Override
    public boolean isGate() {
        return true;
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "sf0.1" : "sf1";
        int coldRounds = options.quick() ? 0 : 2;
        int warmRounds = options.quick() ? 1 : 5;
        List<String> only = List.of(options.only().orElse("").split(",", -1));
        List<TpchQuery> queries =
                ChosenQueries.queries().stream()
                        .filter(query -> only.stream().anyMatch(query.name()::contains))
                        .filter(
                                query ->
                                        !options.quick()
                                                || options.only().isPresent()
                                                || isQuick(query))
                        .toList();
        if (queries.isEmpty()) {
            throw new IllegalArgumentException(
                    "Expected part of a query's name, as q18 or s02, found: "
                            + options.only().orElse(""));
        }
        Run run = Run.load();
        Metrics metrics = new Metrics();
        String machine = Machine.describe();
        List<Target> targets = new ArrayList<>();
        try (VersityGateway gateway = VersityGateway.start(run.path("state").resolve("s3"));
                DelayingS3Proxy proxy = DelayingS3Proxy.start(gateway.port(), InjectedDelays.NONE);
                SteleServers servers = new SteleServers(run)) {
            S3Catalogs catalogs =
                    new S3Catalogs(run, proxy.properties(gateway), VersityGateway.BUCKET);
            catalogs.configureSidecar();
            catalogs.write(CATALOG, catalogs.stele());
            servers.startBoth();
            ChoiceRounds rounds;
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                for (String schema : List.of(SCHEMA, OTHER_SCHEMA)) {
                    trino.update("CREATE SCHEMA %s.%s".formatted(CATALOG, schema));
                    trino.use(CATALOG, schema);
                    LoadedTable.loadKeyed(
                            trino, ChosenQueries.TABLES, schema.equals(SCHEMA) ? scale : "tiny");
                }
                rounds = new ChoiceRounds(trino, proxy, queries).phase("", false);
                proxy.newRound(InjectedDelays.S3); // else what takes many requests looks good
                rounds.askFirst(CATALOG, SCHEMA);
            }
            List<String> phases = new ArrayList<>();
            if (coldRounds > 0) {
                cold(coldRounds, servers, proxy, queries, rounds);
                rounds.report(COLD, metrics);
                phases.add(COLD);
            }
            proxy.newRound(InjectedDelays.S3);
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                rounds.use(trino);
                for (String phase : List.of(WARM, WARM_CACHED)) {
                    boolean isCached = phase.equals(WARM_CACHED);
                    rounds.phase("filling", isCached).interleaved(1, CATALOG, SCHEMA);
                    rounds.phase(phase, isCached)
                            .interleaved(warmRounds, CATALOG, SCHEMA)
                            .report(phase, metrics);
                    phases.add(phase);
                }
            }
            for (String phase : phases) {
                for (TpchQuery query : queries) {
                    targets.add(target(rounds, phase, query));
                }
            }
        }
        return new BenchmarkReport(
                name(),
                machine + ", " + scale + ", reads of 30 ms + 20 ms/MiB",
                metrics.asMap(),
                targets);
    }

    private static boolean isQuick(TpchQuery query) {
        return QUICK.stream().anyMatch(query.name()::startsWith);
    }

    /** Each choice by servers of its own, whose caches are empty. */
    private static void cold(
            int count,
            SteleServers servers,
            DelayingS3Proxy proxy,
            List<TpchQuery> queries,
            ChoiceRounds rounds)
            throws SQLException, IOException, InterruptedException {
        List<Choice> order = new ArrayList<>(Arrays.asList(Choice.values()));
        for (int round = 0; round < count; round++) {
            Collections.reverse(order); // what else runs on the machine may come and go
            for (Choice choice : order) {
                proxy.newRound(InjectedDelays.NONE);
                servers.restartBothEmpty();
                try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                    // Of few rows, whose results are others
                    ChoiceRounds other = new ChoiceRounds(trino, proxy, queries);
                    for (int i = 0; i < OTHER_ROUNDS; i++) {
                        other.ask(choice, CATALOG, OTHER_SCHEMA);
                    }
                    proxy.newRound(InjectedDelays.S3);
                    rounds.use(trino).phase(COLD, true).ask(choice, CATALOG, SCHEMA);
                }
            }
        }
    }

    private static Target target(ChoiceRounds rounds, String phase, TpchQuery query) {
        return Target.atMost(
                "%s %s: ms by the defaults, at most %s times the best choice and %s ms"
                        .formatted(phase, query.name(), MOST_TIMES, NOISE_MILLIS),
                MOST_TIMES * rounds.best(phase, query) + NOISE_MILLIS,
                rounds.leastMillis(phase, query, Choice.DEFAULT));
    }
}
