package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A peer's server as a child process, which Linux ends when this process ends, however it does. */
final class PeerProcess implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration COMMAND_TIMEOUT = Duration.ofMinutes(30);

    private final ServerProcess process;

    /** Tries to use the server, and throws while it does not serve. */
    @FunctionalInterface
    interface Probe {
        void check() throws Exception;
    }

    private PeerProcess(ServerProcess process) {
        this.process = requireNonNull(process, "process is null");
    }

    /**
     * Starts a server and waits until it serves.
     *
     * @param asUser options of setpriv that say as whom it runs
     */
    static PeerProcess start(
            String name, List<String> asUser, List<String> command, Path log, Probe probe)
            throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("setpriv", "--pdeathsig", "INT"));
        words.addAll(asUser);
        words.addAll(command);
        PeerProcess started = new PeerProcess(ServerProcess.start(name, words, log));
        try {
            started.await(probe);
            return started;
        } catch (IOException | InterruptedException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void await(Probe probe) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (true) {
            try {
                probe.check();
                return;
            } catch (Exception e) {
                process.checkAlive();
                if (System.nanoTime() > deadline) {
                    throw new IOException(
                            "Expected a server, its log ends with:\n" + process.logTail(), e);
                }
            }
            TimeUnit.MILLISECONDS.sleep(POLL.toMillis());
        }
    }

    long pid() {
        return process.pid();
    }

    /** Interrupts the server, which ends it without waiting for its clients. */
    @Override
    public void close() {
        try {
            run(List.of("kill", "-INT", Long.toString(process.pid())), Map.of());
        } catch (IOException e) {
            System.out.println("Expected to end a peer, " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.close();
    }

    /**
     * Runs a program to its end and returns what it printed.
     *
     * @throws IOException it failed, with what it printed
     */
    static String run(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectInput(new File("/dev/null"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (InputStream output = process.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(COMMAND_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                    || process.exitValue() != 0) {
                throw new IOException(
                        "Expected %s to end with 0, found: %s".formatted(command, text));
            }
            return text;
        } finally {
            process.destroy();
        }
    }

    /** A program in one of some folders, or else of the search path. */
    static Optional<Path> find(String program, String... folders) {
        return Stream.concat(
                        Stream.of(folders),
                        Stream.of(
                                System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
