package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.benchmarks.servers.ReadyProbe;
import io.stele.benchmarks.servers.Run;
import io.stele.benchmarks.servers.ServerProcess;
import io.stele.benchmarks.servers.SidecarPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The keeper of a chaos run's sidecar process, which starts it, ends it in several ways, and
 * detects that it ended by itself.
 *
 * <p>Confined to one thread, except for {@link #dump}, which others call when something is stuck.
 */
final class SidecarKeeper implements AutoCloseable {
    /** The limit of a start: a few seconds on a quiet machine, many times that on a loaded one. */
    static final Duration START_BOUND = Duration.ofMinutes(3);

    /** How long the store fails a start: longer ones are of the time in which clients work. */
    private static final Duration BAD_START = Duration.ofSeconds(6);

    /** Counted before each new process, so that what one of them says is of those so far. */
    static final String LAUNCHES = "launches";

    /** How it ends after its log failed; {@code FailureExit} of the sidecar. */
    private static final int LOG_FAILED = 4;

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration STOP_BOUND = Duration.ofSeconds(40);
    private static final int MAX_DUMPS = 10;

    private final Run run;
    private final Findings findings;
    private final List<String> command;
    private final ReadyProbe probe = new ReadyProbe();
    private final SidecarPage statusPage;
    private volatile @Nullable ServerProcess process;

    @GuardedBy("this")
    private int dumps;

    SidecarKeeper(Run run, Findings findings) {
        this.run = requireNonNull(run, "run is null");
        this.findings = requireNonNull(findings, "findings is null");
        this.command = List.of(run.value("sidecar.launch"), run.value("sidecar.etc"));
        this.statusPage = new SidecarPage(run, "/v1/status");
    }

    /**
     * Starts it and waits until it serves.
     *
     * @param calm is called when a start has failed, which it may while the store does, or has
     *     lasted for {@link #BAD_START}: from then on it must not
     * @return whether it serves
     */
    boolean start(Runnable calm) throws IOException, InterruptedException {
        long start = System.nanoTime();
        if (!launch(calm)) {
            findings.count("starts that failed in bad weather");
            calm.run();
            start = System.nanoTime();
            if (!launch(() -> {})) {
                return false;
            }
        }
        findings.count("starts");
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        findings.say("the sidecar serves after %d ms".formatted(millis));
        return true;
    }

    private boolean launch(Runnable calm) throws IOException, InterruptedException {
        findings.count(LAUNCHES);
        ServerProcess started = ServerProcess.start("sidecar", command, run.path("sidecar.log"));
        process = started;
        Files.writeString(run.path("sidecar.pid"), started.pid() + "\n");
        long start = System.nanoTime();
        long deadline = start + START_BOUND.toNanos();
        boolean isBad = true;
        while (!probe.isSidecarReady(run.uri("sidecar.uri"))) {
            if (!started.isAlive()) {
                return false;
            }
            if (isBad && System.nanoTime() - start > BAD_START.toNanos()) {
                calm.run();
                isBad = false;
            }
            if (System.nanoTime() > deadline) {
                findings.violation(
                        "sidecar",
                        "does not serve %d s after its start".formatted(START_BOUND.toSeconds()));
                dump("start");
                started.kill();
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        }
        return true;
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        running().kill();
        findings.count("crashes");
    }

    /** SIGTERM; what does not end by that in time is killed. */
    void stop() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + STOP_BOUND.toNanos();
        signal("TERM");
        while (running().isAlive()) {
            if (System.nanoTime() > deadline) {
                findings.violation(
                        "sidecar",
                        "does not end %d s after SIGTERM".formatted(STOP_BOUND.toSeconds()));
                dump("stop");
                running().kill();
                return;
            }
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        }
    }

    /** SIGSTOP and SIGCONT. */
    void pause(Duration duration) throws IOException, InterruptedException {
        signal("STOP");
        try {
            TimeUnit.MILLISECONDS.sleep(duration.toMillis());
        } finally {
            signal("CONT");
        }
    }

    private void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(running().pid())).start().waitFor();
    }

    long pid() {
        return running().pid();
    }

    boolean isAlive() {
        return running().isAlive();
    }

    /** The end of its log. */
    String logTail() {
        return running().logTail();
    }

    /**
     * Waits until it has ended, for that its log failed: docs/operations.md has it end by itself
     * then, for a supervisor to start it again.
     *
     * @return whether it has, within the bound
     */
    boolean awaitLogFailure(Duration bound) throws InterruptedException {
        long deadline = System.nanoTime() + bound.toNanos();
        while (!hasLogFailed() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        }
        return hasLogFailed();
    }

    /** Whether it has ended by itself after its log failed. */
    boolean hasLogFailed() {
        return running().exitCode().equals(OptionalInt.of(LOG_FAILED));
    }

    /** Whether it runs although its log has failed: it is about to end. */
    boolean isLogFailing() throws InterruptedException {
        JsonNode engine = status();
        return engine != null && engine.path("log").path("failed").asBoolean();
    }

    /** Whether its writes wait for space on the disk of the log. */
    boolean isLogFull() throws InterruptedException {
        JsonNode engine = status();
        return engine != null && engine.path("log").path("full").asBoolean();
    }

    /** Shards that stopped serving, with the reason; none while the sidecar does not answer. */
    List<String> failedShards() throws InterruptedException {
        JsonNode engine = status();
        List<String> failed = new ArrayList<>();
        if (engine != null) {
            engine.path("failedShards").forEach(shard -> failed.add(shard.asText()));
        }
        return failed;
    }

    private @Nullable JsonNode status() throws InterruptedException {
        try {
            return new ObjectMapper().readTree(statusPage.read()).path("engine");
        } catch (IOException e) {
            return null; // it does not answer now
        }
    }

    /**
     * Writes the stacks of all its threads and of Trino's, virtual ones too, to files beside its
     * log: of a statement without an answer, either may hold the reason.
     *
     * @param why names the files
     */
    synchronized void dump(String why) {
        if (dumps == MAX_DUMPS) {
            return;
        }
        dumps++;
        try {
            dump("sidecar", Long.toString(running().pid()), why);
            Path trino = run.path("trino.pid");
            if (Files.exists(trino)) {
                dump("trino", Files.readString(trino).strip(), why);
            }
        } catch (IOException e) {
            findings.say("threads cannot be dumped: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @GuardedBy("this")
    private void dump(String name, String pid, String why)
            throws IOException, InterruptedException {
        Path folder = run.path("sidecar.log").resolveSibling("stacks");
        Path file = folder.resolve("%02d-%s-%s.txt".formatted(dumps, why, name));
        Files.createDirectories(folder);
        String jcmd = Path.of(run.value("java.home"), "bin", "jcmd").toString();
        Process dumping =
                new ProcessBuilder(jcmd, pid, "Thread.dump_to_file", "-overwrite", file.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("jcmd.log").toFile())
                        .start();
        if (!dumping.waitFor(20, TimeUnit.SECONDS)) {
            dumping.destroyForcibly();
        }
        findings.say("the threads of " + name + ": " + file);
    }

    private ServerProcess running() {
        return requireNonNull(process, "the sidecar was not started");
    }

    @Override
    public void close() {
        probe.close();
        statusPage.close();
        ServerProcess last = process;
        if (last != null) {
            last.close();
        }
    }
}
