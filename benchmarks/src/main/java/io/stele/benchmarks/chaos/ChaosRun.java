package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.ReadyProbe;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.ServerProcess;
import io.stele.client.ClientSettings;
import io.stele.client.SteleClient;
import io.stele.client.flight.FlightClient;
import io.stele.testing.FaultProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The main program behind {@code bin/stele chaos}: real servers, real clients, and faults drawn
 * from a seed. It exits with 0 when every promise held, with 1 when one was broken, and with 2 for
 * unknown arguments.
 */
public final class ChaosRun {
    /** The time limit of a statement, under all faults. */
    static final int DEADLINE_SECONDS = 120;

    /** Keys of clients, and of what they do, that may be left out. */
    static final List<String> CLIENT_KEYS =
            List.of(
                    "java",
                    "feeds",
                    "flight",
                    "transactions",
                    "sql",
                    "partitions",
                    "transfers",
                    "ddl",
                    "rows",
                    "expiry",
                    "large-rows",
                    "large-transactions");

    private static final Duration TRINO_START_BOUND = Duration.ofMinutes(4);
    private static final Duration PREPARE_BOUND = Duration.ofMinutes(4);

    private final Run run;
    private final ChaosOptions options;
    private final Findings findings;
    private final List<Player> players = new ArrayList<>();
    private final CountDownLatch go = new CountDownLatch(1);
    private volatile boolean stopped;
    private double secondsUntilReady;

    private ChaosRun(Run run, ChaosOptions options, Findings findings) {
        this.run = requireNonNull(run, "run is null");
        this.options = requireNonNull(options, "options is null");
        this.findings = requireNonNull(findings, "findings is null");
    }

    public static void main(String[] arguments) throws Exception {
        ChaosOptions options;
        try {
            options =
                    ChaosOptions.parse(
                            List.of(arguments), ThreadLocalRandom.current().nextInt(1_000_000_000));
        } catch (IllegalArgumentException e) {
            System.err.println("stele: " + e.getMessage());
            System.exit(2);
            return;
        }
        Findings findings = new Findings(System.out);
        new ChaosRun(Run.load(), options, findings).run();
        System.exit(findings.violations().isEmpty() ? 0 : 1);
    }

    private void run() throws Exception {
        findings.say(
                String.format(
                        Locale.ROOT,
                        "seed %d, %.1f minutes, without %s",
                        options.seed(),
                        options.duration().toMillis() / 60_000.0,
                        options.without().isEmpty() ? "nothing" : options.without()));
        StoreFaults store = new StoreFaults(options.seed(), findings);
        ClockSteps clock = ClockSteps.install(run);
        try (FaultProxy proxy = new FaultProxy(run.port("s3.port"), store);
                LogDisk disk = LogDisk.open(run.path("sidecar.wal"));
                SidecarKeeper sidecar = new SidecarKeeper(run, findings)) {
            findings.say("the disk of the log: " + disk.way());
            throughProxy(run.path("sidecar.etc").resolve("config.properties"), proxy.port());
            throughProxy(run.path("trino.etc").resolve("catalog/stele.properties"), proxy.port());
            Disturber disturber =
                    new Disturber(
                            new Schedule(options), sidecar, store, proxy, disk, clock, findings);
            play(sidecar, disturber);
            report();
            if (!findings.violations().isEmpty()) {
                disk.keep(run.path("state").resolve("wal-kept"));
            }
        }
    }

    private void play(SidecarKeeper sidecar, Disturber disturber) throws Exception {
        long startNanos = System.nanoTime();
        if (!sidecar.start(() -> {})) {
            findings.violation("sidecar", "does not start: " + sidecar.logTail());
            return;
        }
        try (ServerProcess trino = startTrino();
                Deadlines deadlines =
                        new Deadlines(
                                Duration.ofSeconds(DEADLINE_SECONDS),
                                what -> {
                                    findings.violation("deadline", what);
                                    sidecar.dump("deadline");
                                });
                SteleClient client = client();
                FlightClient flight = Clients.flight(run)) {
            findings.say("Trino starts as process " + trino.pid());
            ClientContext context =
                    new ClientContext(
                            run,
                            findings,
                            deadlines,
                            client,
                            flight,
                            options.has("large-rows"),
                            options.has("large-transactions"),
                            new ClientTally("none"));
            try {
                if (!awaitTrino(trino) || !awaitClients(context)) {
                    return;
                }
                secondsUntilReady = (System.nanoTime() - startNanos) / 1e9;
                findings.say("all clients are ready");
                go.countDown();
                disturber.play(options.duration());
                disturber.calm();
                awaitWork(disturber);
                stopClients();
                disturber.crashLast();
                verify();
                checkWork();
            } catch (Disturber.LostSidecarException e) {
                findings.violation("sidecar", String.valueOf(e.getMessage()));
            } finally {
                stopped = true;
                go.countDown();
            }
        }
    }

    private boolean awaitTrino(ServerProcess trino) throws InterruptedException {
        long deadline = System.nanoTime() + TRINO_START_BOUND.toNanos();
        try (ReadyProbe probe = new ReadyProbe()) {
            while (!probe.isTrinoReady(run.uri("trino.uri"))) {
                if (!trino.isAlive() || System.nanoTime() > deadline) {
                    findings.violation(
                            "trino",
                            "%s; its log ends with: %s"
                                    .formatted(
                                            trino.isAlive()
                                                    ? "does not start within %d s"
                                                            .formatted(
                                                                    TRINO_START_BOUND.toSeconds())
                                                    : "ended at its start",
                                            trino.logTail()));
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
        return true;
    }

    /** A run in which a client is silent proves nothing for it: then it does not begin. */
    private boolean awaitClients(ClientContext context) throws InterruptedException {
        startClients(context);
        long deadline = System.nanoTime() + PREPARE_BOUND.toNanos();
        boolean isReady = true;
        for (Player player : players) {
            if (!player.prepared.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                isReady = false;
                findings.violation(
                        player.client.key(),
                        "is not ready within %d s: %s"
                                .formatted(PREPARE_BOUND.toSeconds(), player.failure));
            }
        }
        return isReady;
    }

    private ServerProcess startTrino() throws IOException {
        ServerProcess trino =
                ServerProcess.start(
                        "trino",
                        List.of(run.value("trino.launch"), run.value("trino.etc")),
                        run.path("trino.log"));
        Files.writeString(run.path("trino.pid"), trino.pid() + "\n");
        return trino;
    }

    /** Clients give up before their deadline, and report it. */
    private SteleClient client() {
        Duration patience = Duration.ofSeconds(DEADLINE_SECONDS - 20);
        return SteleClient.builder()
                .endpoint("127.0.0.1", run.port("sidecar.client.port"))
                .secret(run.secret())
                .settings(
                        ClientSettings.DEFAULT
                                .withUnavailableTimeout(patience)
                                .withBusyTimeout(patience)
                                .withMaxInFlightBytes(32L << 20))
                .build();
    }

    /** From now on requests to the store's address go through the proxy. */
    private static void throughProxy(Path file, int port) throws IOException {
        List<String> lines =
                Files.readAllLines(file).stream()
                        .map(
                                line ->
                                        line.startsWith("s3.endpoint=")
                                                ? "s3.endpoint=http://127.0.0.1:" + port
                                                : line)
                        .toList();
        Files.write(file, lines);
    }

    private void startClients(ClientContext context) {
        start("java", context, JavaWrites::new);
        start("feeds", context, FollowedChanges::new);
        start("flight", context, FlightWrites::new);
        start("transactions", context, LongTransactions::new);
        start("sql", context, own -> new SqlBatches(own, SqlBatches.Statements.BATCHES));
        start("partitions", context, own -> new SqlBatches(own, SqlBatches.Statements.PARTITIONS));
        start("transfers", context, SqlTransfers::new);
        start("ddl", context, SqlDefinitions::new);
        start("rows", context, SqlRows::new);
        start("expiry", context, SqlExpiry::new);
    }

    private void start(
            String key, ClientContext context, Function<ClientContext, ChaosClient> client) {
        if (options.has(key)) {
            ClientTally tally = new ClientTally(key);
            Player player = new Player(client.apply(context.countedBy(tally)), tally);
            players.add(player);
            player.thread.start();
        }
    }

    private void stopClients() throws InterruptedException {
        stopped = true;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3L * DEADLINE_SECONDS);
        for (Player player : players) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            player.thread.join(Duration.ofMillis(Math.max(1, left)));
            if (player.thread.isAlive()) {
                findings.violation(player.client.key(), "does not end");
            }
        }
    }

    private void verify() {
        for (Player player : players) {
            if (!player.thread.isAlive()) {
                verify(player.client);
            }
        }
    }

    /** On a loaded machine, what is missing when the minutes are over may come in calm weather. */
    private void awaitWork(Disturber disturber)
            throws IOException, InterruptedException, Disturber.LostSidecarException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (System.nanoTime() < deadline
                && players.stream()
                        .anyMatch(player -> player.tally.missing(options.duration()).isPresent())) {
            disturber.mend();
            TimeUnit.SECONDS.sleep(1);
        }
    }

    private void checkWork() {
        for (Player player : players) {
            player.tally
                    .missing(options.duration())
                    .ifPresent(
                            missing ->
                                    findings.violation(
                                            player.client.key(), "did too little: " + missing));
        }
    }

    /** Reads that fail are tried again for as long as a statement may take. */
    private void verify(ChaosClient client) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (true) {
            try {
                client.verify();
                return;
            } catch (Exception e) {
                if (System.nanoTime() > deadline) {
                    findings.violation(client.key(), "cannot be verified: " + e);
                    return;
                }
                pause(500);
            }
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void report() throws IOException {
        ChaosReport report =
                ChaosReport.of(
                        options,
                        secondsUntilReady,
                        players.stream().map(player -> player.tally).toList(),
                        findings);
        System.out.println();
        System.out.println(report.text());
        if (options.json().isPresent()) {
            report.write(options.json().get());
        }
    }

    /** A client and its thread, from its preparation to the end of the run. */
    private final class Player {
        private final ChaosClient client;
        private final ClientTally tally;
        private final Thread thread;
        private final CountDownLatch prepared = new CountDownLatch(1);
        private volatile String failure = "its first statement has no answer";

        Player(ChaosClient client, ClientTally tally) {
            this.client = client;
            this.tally = tally;
            this.thread =
                    Thread.ofPlatform()
                            .daemon()
                            .name("chaos-" + client.key())
                            .unstarted(this::play);
        }

        private void play() {
            try {
                prepare();
                go.await();
            } catch (InterruptedException e) {
                return; // by a deadline, which is reported
            }
            Random random = new Random(options.seed() + client.key().hashCode());
            while (!stopped) {
                try {
                    client.step(random);
                } catch (Exception e) {
                    findings.violation(client.key(), "unexpected failure: " + e);
                    pause(1_000);
                }
            }
        }

        private void prepare() throws InterruptedException {
            while (!stopped) {
                try {
                    client.prepare();
                    prepared.countDown();
                    findings.say(client.key() + " is ready");
                    return;
                } catch (Exception e) {
                    failure = e.toString();
                    TimeUnit.MILLISECONDS.sleep(200);
                }
            }
        }
    }
}
