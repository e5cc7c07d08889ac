package io.stele.benchmarks.quickstart;

import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.SteleServers;
import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.SteleClient;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * The main program behind {@code bin/stele quickstart}: starts a sidecar and a Trino server, shows
 * what they do, verifies each thing shown, and stays up until it is interrupted. With {@code
 * --check} it ends after the show, with 0 when everything was as it should be and 1 otherwise.
 */
public final class Quickstart {
    private static final String SCALE = "tiny";

    private Quickstart() {}

    public static void main(String[] arguments) throws Exception {
        List<String> words = List.of(arguments);
        if (!List.of("--check", "--paimon", "--flink").containsAll(words)) {
            System.err.println(
                    "Expected nothing, --check, --paimon or --flink, found: "
                            + String.join(" ", words));
            System.exit(2);
        }
        Run run = Run.load();
        boolean allHold;
        try (SteleServers servers = new SteleServers(run);
                StreamFromFlink flink = new StreamFromFlink(run)) {
            allHold = show(run, servers, flink, words, System.out);
            if (!words.contains("--check")) {
                stay(run, servers, flink, System.out);
            }
        }
        System.exit(allHold ? 0 : 1);
    }

    private static boolean show(
            Run run,
            SteleServers servers,
            StreamFromFlink flink,
            List<String> words,
            PrintStream out)
            throws Exception {
        Findings findings = new Findings(out);
        long start = System.nanoTime();
        findings.heading("0. A sidecar and a Trino 483 server");
        servers.startBoth();
        findings.measured("start of the servers", "%.1f s", seconds(start));
        try (TrinoSession trino = TrinoSession.connect(servers.trinoUri());
                SteleClient client = Clients.stele(run)) {
            findings.check(
                    "Trino has the catalog stele",
                    trino.query("SHOW CATALOGS").contains(List.of("stele")),
                    "SHOW CATALOGS does not list it");
            checkWorkers(servers.workerNames().size(), trino, findings);
            LoadTpch.run(trino, findings, SCALE);
            StreamAndQuery.run(trino, client, findings);
            KeyedStatements.run(trino, findings);
            CrashAndRecover.run(servers, trino, client, findings);
            // After the sidecar's restart, which ends the connections of such clients
            try (Connection postgres = Clients.postgresql(run, "live")) {
                ServeOverPostgres.run(trino, postgres, findings);
            }
            Optional<Path> lake = Optional.empty();
            if (words.contains("--paimon")) {
                lake = Optional.of(Path.of(run.value("lake")));
                QueryLake.run(lake.get(), trino, findings);
            }
            if (words.contains("--flink")) {
                flink.run(lake.isPresent() ? 7 : 6, lake, trino, findings);
            }
        }
        findings.measured("the whole show", "%.0f s", seconds(start));
        findings.printTable();
        return findings.allHold();
    }

    private static void checkWorkers(int count, TrinoSession trino, Findings findings)
            throws SQLException {
        if (count == 0) {
            return;
        }
        long active =
                trino.number(
                        "SELECT count(*) FROM system.runtime.nodes WHERE NOT coordinator AND state = 'active'");
        findings.check(
                "Trino has %d workers beside its coordinator".formatted(count),
                active == count,
                "system.runtime.nodes lists " + active);
    }

    private static void stay(Run run, SteleServers servers, StreamFromFlink flink, PrintStream out)
            throws InterruptedException {
        out.printf(
                Locale.ROOT,
                "%nStill up: Trino at %s (catalog stele), the sidecar at %s, its client port %s, Flight port %s, PostgreSQL port %s.%n",
                servers.trinoUri(),
                run.value("sidecar.uri"),
                run.value("sidecar.client.port"),
                run.value("sidecar.flight.port"),
                run.value("sidecar.postgresql.port"));
        flink.address()
                .ifPresent(
                        address ->
                                out.printf(
                                        Locale.ROOT,
                                        "Flink at %s streams on into stele.shop.orders, and follows them into stele.shop.totals.%n",
                                        address));
        out.println("Ctrl-C stops all of it.");
        new CountDownLatch(1).await();
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }
}
