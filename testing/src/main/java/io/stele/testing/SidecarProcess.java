package io.stele.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A sidecar in a JVM of its own, as users run it, from the class path of the test. Confined to one
 * thread.
 */
public final class SidecarProcess {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(4);
    private static final Duration END_TIMEOUT = Duration.ofMinutes(3);

    /** The first one that ends in order writes it, and those after it start in half the time. */
    private static final Path CLASS_ARCHIVE =
            Path.of("target", "sidecar-" + ProcessHandle.current().pid() + ".jsa").toAbsolutePath();

    private final Process process;
    private final Path log;
    private final Path portsFile;

    private SidecarProcess(Process process, Path log, Path portsFile) {
        this.process = process;
        this.log = log;
        this.portsFile = portsFile;
    }

    /** Starts the process; {@code directory} gets its configuration, log and ports file. */
    public static SidecarProcess launch(Path directory, Map<String, String> properties)
            throws IOException {
        return launch(directory, properties, "512m");
    }

    /**
     * The same.
     *
     * @param heap its size, as {@code -Xmx} takes it
     */
    public static SidecarProcess launch(Path directory, Map<String, String> properties, String heap)
            throws IOException {
        return launch(directory, properties, heap, OptionalInt.empty());
    }

    /**
     * The same for a process that cannot write files of more than so many KiB, as if the disk were
     * full there. The limit is for its segments of the log: give them a larger size.
     */
    public static SidecarProcess launchWithSmallFiles(
            Path directory, Map<String, String> properties, int maxFileKib) throws IOException {
        return launch(directory, properties, "512m", OptionalInt.of(maxFileKib));
    }

    private static SidecarProcess launch(
            Path directory, Map<String, String> properties, String heap, OptionalInt maxFileKib)
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
        String classPath = classPath();
        List<String> command = new ArrayList<>();
        if (maxFileKib.isPresent()) {
            command.addAll(
                    List.of(
                            "bash",
                            "-c",
                            "ulimit -f %d && exec \"$@\"".formatted(maxFileKib.getAsInt()),
                            "limited"));
        }
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + heap,
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1"));
        if (maxFileKib.isEmpty()
                && hasOnlyFiles(
                        classPath)) { // else the JVM fails to write the archive, and ends with 1
            command.add("-XX:+AutoCreateSharedArchive");
            command.add("-XX:SharedArchiveFile=" + CLASS_ARCHIVE);
            command.add("-Xshare:auto");
            command.add("-Xlog:disable");
        }
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        classPath,
                        "io.stele.sidecar.SidecarServer",
                        config.toString()));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        return new SidecarProcess(process, log, portsFile);
    }

    /** Whether there is the archive, or none can be made. */
    public static boolean startsFast() {
        return Files.exists(CLASS_ARCHIVE) || !hasOnlyFiles(classPath());
    }

    /** That of this very test, which surefire hides behind a manifest, without its own classes. */
    private static String classPath() {
        String all =
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(all.split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean hasOnlyFiles(String classPath) {
        return Arrays.stream(classPath.split(File.pathSeparator))
                .noneMatch(entry -> Files.isDirectory(Path.of(entry)));
    }

    /** Waits until it serves, and returns its ports. */
    public Ports awaitReady() throws IOException {
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

    /** What {@code jcmd} answers to a command, for example {@code GC.class_histogram}. */
    public String jcmd(String command) throws IOException {
        return Jcmd.ask(process.pid(), command);
    }

    /** SIGSTOP, until the returned one is closed. */
    public PausedProcess pause() throws IOException {
        return PausedProcess.pause(process.pid());
    }

    /** SIGKILL, and waits until the process is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGTERM; returns the exit code. */
    public int terminate() {
        process.destroy();
        return awaitEnd();
    }

    public int awaitEnd() {
        try {
            if (!process.waitFor(END_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("The sidecar does not end:\n" + output());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
        return process.exitValue();
    }

    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + log, e);
        }
    }

    public record Ports(int http, int flight, int client) {}
}
