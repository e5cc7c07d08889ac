package io.stele.benchmarks.choices;

import io.stele.benchmarks.Benchmark;
import io.stele.benchmarks.BenchmarkOptions;
import io.stele.benchmarks.BenchmarkReport;
import io.stele.benchmarks.Machine;
import io.stele.benchmarks.Metrics;
import io.stele.benchmarks.Target;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.S3Catalogs;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.testing.DelayingS3Proxy;
import io.stele.testing.InjectedDelays;
import io.stele.testing.TpchQuery;
import io.stele.testing.VersityGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A benchmark of TPC-H and star schema queries from S3 with its latency, by the connector's
 * defaults and with each planning choice forced: lookups of keys, index joins, aggregation in the
 * sidecar. No query may take longer by the defaults than {@value #MOST_TIMES} times the best of
 * them, and {@value #NOISE_MILLIS} ms more, which are three requests.
 *
 * <p>The store is versitygw behind a proxy that gives reads the latency of S3: 30 ms and 20 ms a
 * MiB, a fifth more or less. Cold: in each round each choice has a newly started sidecar, its code
 * then warmed by other tables, and a catalog that was not queried yet; queries follow one another.
 * Warm: all choices in one catalog, interleaved, in an order that rotates. Every result is compared
 * with the first one. What counts is the least of the rounds, because what else runs on the machine
 * only adds. Results are not cached in any of them.
 */
public final class ChoicesBenchmark implements Benchmark {
    private static final double MOST_TIMES = 1.3;
    private static final double NOISE_MILLIS = 100;

    private static final String SCHEMA = "bench";

    /** The tables in small, for code that is to be compiled and caches that are not. */
    private static final String OTHER_SCHEMA = "other";

    private static final String WARM = "choices_warm";

    /** Of the 2 GB that servers have otherwise: here is room for several catalogs. */
    private static final String COLUMN_CACHE = "200MB";

    /** With --quick, if none are named: a query for each choice. */
    private static final Set<String> QUICK = Set.of("q01", "q18", "q20");

    @Override
    public String name() {
        return "choices";
    }

    @Override
    public String description() {
        return "TPC-H and a star schema from S3 with its latency, by the defaults and with each choice of the connector forced; fails where a default is wrong";
    }

    @Override
    public boolean isGate() {
        return true;
    }

    @Override
    public BenchmarkReport run(BenchmarkOptions options) throws Exception {
        String scale = options.quick() ? "sf0.1" : "sf1";
        int coldRounds = options.quick() ? 1 : 2;
        int warmRounds = options.quick() ? 3 : 5;
        List<String> only = List.of(options.only().orElse("").split(",", -1));
        List<TpchQuery> queries =
                ChosenTables.queries().stream()
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
            configureTrino(catalogs, coldRounds);
            servers.startBoth();
            try (TrinoSession trino = TrinoSession.connect(servers.trinoUri())) {
                for (String schema : List.of(SCHEMA, OTHER_SCHEMA)) {
                    trino.update("CREATE SCHEMA %s.%s".formatted(WARM, schema));
                    trino.use(WARM, schema);
                    ChosenTables.load(trino, schema.equals(SCHEMA) ? scale : "tiny");
                }
                Map<String, String> session = new HashMap<>();
                ChoiceRounds rounds = new ChoiceRounds(trino, proxy, queries, session);
                proxy.newRound(InjectedDelays.S3); // else what takes many requests looks good
                rounds.askFirst(WARM, SCHEMA);
                List<Choice> order = new ArrayList<>(Arrays.asList(Choice.values()));
                for (int round = 0; round < coldRounds; round++) {
                    Collections.reverse(order); // code gets better from one to the next
                    for (Choice choice : order) {
                        proxy.newRound(InjectedDelays.NONE);
                        servers.restartSidecar();
                        // Of few rows, whose results are others
                        ChoiceRounds other = new ChoiceRounds(trino, proxy, queries, session);
                        other.ask(choice, WARM, OTHER_SCHEMA);
                        proxy.newRound(InjectedDelays.S3);
                        rounds.phase("cold").ask(choice, cold(round, choice), SCHEMA);
                    }
                }
                rounds.report("cold", metrics);
                // Refills the caches that the restarts emptied
                rounds.phase("filling").interleaved(1, WARM, SCHEMA);
                rounds.phase("warm").interleaved(warmRounds, WARM, SCHEMA).report("warm", metrics);
                for (String phase : List.of("cold", "warm")) {
                    for (TpchQuery query : queries) {
                        targets.add(target(rounds, phase, query));
                    }
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
        return query.name().startsWith("s") || QUICK.contains(query.name());
    }

    private static void configureTrino(S3Catalogs catalogs, int coldRounds) throws IOException {
        Map<String, String> properties = new TreeMap<>(catalogs.stele());
        properties.put("stele.scan.column-cache-size", COLUMN_CACHE);
        catalogs.write(WARM, properties);
        for (int round = 0; round < coldRounds; round++) {
            for (Choice choice : Choice.values()) {
                catalogs.write(cold(round, choice), properties);
            }
        }
    }

    private static String cold(int round, Choice choice) {
        return "choices_cold_%d_%s".formatted(round, choice.label());
    }

    private static Target target(ChoiceRounds rounds, String phase, TpchQuery query) {
        return Target.atMost(
                "%s %s: ms by the defaults, at most %s times the best choice and %s ms"
                        .formatted(phase, query.name(), MOST_TIMES, NOISE_MILLIS),
                MOST_TIMES * rounds.best(phase, query) + NOISE_MILLIS,
                rounds.leastMillis(phase, query, Choice.DEFAULT));
    }
}
