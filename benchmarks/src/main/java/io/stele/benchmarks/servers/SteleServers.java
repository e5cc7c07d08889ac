package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The sidecar and, on request, the Trino server of one {@link Run} with the workers that the run
 * has, each a process of its own. Their pids go to the files the run names, so that {@code
 * bin/stele} stops them however this process ends.
 *
 * <p>Confined to one thread.
 */
public final class SteleServers implements AutoCloseable {
    /** A first start compiles nothing but reads a few hundred jars on what may be a slow disk. */
    private static final Duration START_TIMEOUT = Duration.ofMinutes(4);

    private static final Duration POLL = Duration.ofMillis(20);

    /** How long the scheduler of Trino 483 uses the nodes that it has found. */
    private static final Duration SCHEDULER_REFRESH = Duration.ofSeconds(5);

    private static final String ACTIVE_WORKERS =
            "SELECT count(*) FROM system.runtime.nodes WHERE NOT coordinator AND state = 'active'";

    private final Run run;
    private final ReadyProbe probe = new ReadyProbe();
    private @Nullable ServerProcess sidecar;
    private @Nullable ServerProcess trino;
    private final Map<String, ServerProcess> workers = new TreeMap<>(); // those that run, by name

    public SteleServers(Run run) {
        this.run = requireNonNull(run, "run is null");
    }

    /**
     * Starts all at once, because each takes seconds of start-up, and waits until they serve and
     * the workers are active.
     */
    public void startBoth() throws IOException, InterruptedException, SQLException {
        sidecar = launch("sidecar");
        trino = launch("trino");
        for (String worker : workerNames()) {
            workers.put(worker, launch(worker));
        }
        awaitSidecar();
        awaitTrino();
        awaitWorkers();
    }

    /** The workers of the run, whether they run or not. */
    public List<String> workerNames() {
        return IntStream.rangeClosed(1, run.count("workers"))
                .mapToObj(number -> "worker" + number)
                .toList();
    }

    /** Starts a worker that was stopped, and waits until the coordinator uses it. */
    public void startWorker(String name) throws IOException, InterruptedException, SQLException {
        workers.put(name, launch(name));
        awaitWorkers();
    }

    /** Stops a worker, and waits until the coordinator does not use it any more. */
    public void stopWorker(String name) throws InterruptedException, SQLException {
        running(workers.remove(name)).close();
        awaitWorkers();
    }

    private void awaitWorkers() throws InterruptedException, SQLException {
        if (workerNames().isEmpty()) {
            return;
        }
        for (Map.Entry<String, ServerProcess> worker : workers.entrySet()) {
            await(
                    worker.getValue(),
                    worker.getKey(),
                    run.uri(worker.getKey() + ".uri"),
                    probe::isTrinoReady);
        }
        try (TrinoSession session = TrinoSession.connect(trinoUri())) {
            long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
            long active = session.number(ACTIVE_WORKERS);
            while (active != workers.size()) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(
                            "Expected %d active workers within %d s, found %d"
                                    .formatted(workers.size(), START_TIMEOUT.toSeconds(), active));
                }
                TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
                active = session.number(ACTIVE_WORKERS);
            }
        }
        // The engine's scheduler looks for nodes as often
        TimeUnit.MILLISECONDS.sleep(SCHEDULER_REFRESH.toMillis());
    }

    /** Starts Trino alone, whose catalogs then must need no sidecar. */
    public void startTrino() throws IOException, InterruptedException {
        trino = launch("trino");
        awaitTrino();
    }

    private void awaitTrino() throws InterruptedException {
        await(running(trino), "Trino", run.uri("trino.uri"), probe::isTrinoReady);
    }

    public void startSidecar() throws IOException, InterruptedException {
        sidecar = launch("sidecar");
        awaitSidecar();
    }

    /** Kills the sidecar as a crash would. */
    public void killSidecar() throws InterruptedException {
        running(sidecar).kill();
    }

    /** Starts the sidecar again on the same ports and folders, and waits until it serves. */
    public void restartSidecar() throws IOException, InterruptedException {
        running(sidecar).close();
        startSidecar();
    }

    /** Deletes what the sidecar, which must not run, has cached on disk. */
    public void emptySidecarCache() throws IOException {
        CacheFolders.empty(CacheFolders.ofSidecar(run));
    }

    /**
     * Ends both servers, deletes what they have cached on disk, and starts them: of no catalog is
     * anything in memory or on disk, and no code is compiled.
     */
    public void restartBothEmpty() throws IOException, SQLException, InterruptedException {
        running(trino).close();
        running(sidecar).close();
        emptySidecarCache();
        CacheFolders.empty(CacheFolders.ofStele(run));
        CacheFolders.empty(CacheFolders.ofIceberg(run));
        startBoth();
    }

    public long sidecarPid() {
        return running(sidecar).pid();
    }

    public long trinoPid() {
        return running(trino).pid();
    }

    public URI trinoUri() {
        return run.uri("trino.uri");
    }

    /** Whether the server at an address serves. */
    @FunctionalInterface
    private interface Serving {
        boolean test(URI server) throws InterruptedException;
    }

    @Override
    public void close() {
        probe.close();
        workers.values().forEach(ServerProcess::terminate);
        workers.values().forEach(ServerProcess::close);
        if (trino != null) {
            trino.close();
        }
        if (sidecar != null) {
            sidecar.close();
        }
    }

    private ServerProcess launch(String name) throws IOException {
        ServerProcess process =
                ServerProcess.start(
                        name,
                        List.of(run.value(name + ".launch"), run.value(name + ".etc")),
                        run.path(name + ".log"));
        Files.writeString(run.path(name + ".pid"), process.pid() + "\n");
        return process;
    }

    private void awaitSidecar() throws IOException, InterruptedException {
        await(running(sidecar), "the sidecar", run.uri("sidecar.uri"), probe::isSidecarReady);
    }

    private static void await(ServerProcess process, String name, URI server, Serving serving)
            throws InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!serving.test(server)) {
            process.checkAlive();
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        "Expected %s to serve at %s within %d s. Its log ends with:%n%s"
                                .formatted(
                                        name,
                                        server,
                                        START_TIMEOUT.toSeconds(),
                                        process.logTail()));
            }
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        }
    }

    private static ServerProcess running(@Nullable ServerProcess process) {
        if (process == null) {
            throw new IllegalStateException("Expected a server that was started");
        }
        return process;
    }
}
