package io.stele.benchmarks.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * A server that was started as a child process; its output goes to a file.
 *
 * <p>Not safe for concurrent use.
 */
public final class ServerProcess implements AutoCloseable {
    /** Longer than a Trino coordinator with running queries needs to stop. */
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

    private static final int LOG_TAIL_LINES = 30;

    private final String name;
    private final Process process;
    private final Path logFile;

    private ServerProcess(String name, Process process, Path logFile) {
        this.name = requireNonNull(name, "name is null");
        this.process = requireNonNull(process, "process is null");
        this.logFile = requireNonNull(logFile, "logFile is null");
    }

    /** Starts {@code command}; its standard output and error are appended to {@code logFile}. */
    public static ServerProcess start(String name, List<String> command, Path logFile)
            throws IOException {
        Files.createDirectories(logFile.toAbsolutePath().getParent());
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile.toFile()))
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .start();
        return new ServerProcess(name, process, logFile);
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** With which code the process ended; empty while it runs. */
    public OptionalInt exitCode() {
        return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** Ends the process as a crash would: SIGKILL, no shutdown hook runs. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** Asks the process to end, and does not wait. */
    public void terminate() {
        process.destroy();
    }

    /** The last lines that the process printed, for an error message. */
    public String logTail() {
        try {
            List<String> lines = Files.readAllLines(logFile, StandardCharsets.UTF_8);
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(%s cannot be read: %s)".formatted(logFile, e.getMessage());
        }
    }

    /** Throws with the end of the log when the process has ended. */
    public void checkAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "Expected %s to be running, but it ended with exit code %d. Its log %s ends with:\n%s"
                            .formatted(name, process.exitValue(), logFile, logTail()));
        }
    }

    /** Stops the process: SIGTERM, and SIGKILL when that is not enough. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                process.waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
