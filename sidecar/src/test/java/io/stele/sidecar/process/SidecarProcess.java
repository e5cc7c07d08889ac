package io.stele.sidecar.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A sidecar in a JVM of its own, as users run it. */
final class SidecarProcess {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);

    private final Process process;
    private final Path log;
    private final Path portsFile;

    private SidecarProcess(Process process, Path log, Path portsFile) {
        this.process = process;
        this.log = log;
        this.portsFile = portsFile;
    }

    /** Starts the process; {@code directory} gets its configuration, log and ports file. */
    static SidecarProcess launch(Path directory, Map<String, String> properties)
            throws IOException {
        Path portsFile = directory.resolve("ports.json");
        Files.deleteIfExists(portsFile);
        Map<String, String> all = new TreeMap<>(properties);
        all.put("stele.ports-file", portsFile.toString());
        Path config = directory.resolve("config.properties");
        Files.writeString(
                config,
                all.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining("\n")));
        Path log = directory.resolve("sidecar.log");
        // The class path of this very test; surefire hides it behind a manifest otherwise.
        String classPath =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        Process process =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-Xmx512m",
                                        "-XX:+UseSerialGC",
                                        "-XX:TieredStopAtLevel=1",
                                        "--enable-native-access=ALL-UNNAMED",
                                        "--sun-misc-unsafe-memory-access=allow",
                                        "-cp",
                                        classPath,
                                        "io.stele.sidecar.SidecarServer",
                                        config.toString()))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        return new SidecarProcess(process, log, portsFile);
    }

    /** Waits until it serves, and returns its ports. */
    Ports awaitReady() throws IOException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!Files.exists(portsFile)) {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        "The sidecar ended with " + process.exitValue() + ":\n" + output());
            }
            if (System.nanoTime() > deadline) {
                kill();
                throw new IllegalStateException(
                        "The sidecar is not ready after " + START_TIMEOUT + ":\n" + output());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        JsonNode ports = new ObjectMapper().readTree(portsFile.toFile());
        if (ports.get("pid").asLong() != process.pid()) {
            throw new IllegalStateException(
                    "Expected the ports of process " + process.pid() + ", found " + ports);
        }
        return new Ports(
                ports.get("httpPort").asInt(),
                ports.get("flightPort").asInt(),
                ports.get("clientPort").asInt());
    }

    /** SIGKILL, and waits until the process is gone. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGTERM; returns the exit code. */
    int terminate() {
        process.destroy();
        return awaitEnd();
    }

    int awaitEnd() {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The sidecar does not end:\n" + output());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
        return process.exitValue();
    }

    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + log, e);
        }
    }

    record Ports(int http, int flight, int client) {}
}
