package io.stele.connector.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Python with the clients of {@code src/test/python/requirements.txt}, in a folder of the build's
 * that stays until these change.
 */
final class PythonEnvironment {
    private static final Path REQUIREMENTS = Path.of("src/test/python/requirements.txt");
    private static final long TIMEOUT_MINUTES = 10;

    private final Path folder;

    private PythonEnvironment(Path folder) {
        this.folder = requireNonNull(folder, "folder is null");
    }

    /** Makes one; where there is no Python, the test is skipped with what to install. */
    static PythonEnvironment open() throws IOException, InterruptedException {
        Path folder = Path.of("target/python").toAbsolutePath();
        // Tests run in several processes, and one installs
        Path lock = Files.createDirectories(folder.getParent()).resolve("python.lock");
        try (FileChannel channel =
                        FileChannel.open(
                                lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            return open(folder);
        }
    }

    private static PythonEnvironment open(Path folder) throws IOException, InterruptedException {
        String wanted = Files.readString(REQUIREMENTS);
        Path done = folder.resolve("installed.txt");
        PythonEnvironment environment = new PythonEnvironment(folder);
        if (Files.exists(done) && Files.readString(done).equals(wanted)) {
            return environment;
        }
        Outcome made;
        try {
            made =
                    run(
                            Path.of("."),
                            Map.of(),
                            "python3",
                            "-m",
                            "venv",
                            "--clear",
                            folder.toString());
        } catch (IOException e) {
            Assumptions.abort("Needs Python 3.10 or newer with venv: " + e.getMessage());
            throw e;
        }
        Assumptions.assumeTrue(
                made.status() == 0, () -> "Needs Python 3.10 or newer with venv: " + made.output());
        Outcome installed =
                environment.run(
                        Path.of("."),
                        Map.of(),
                        List.of("pip", "install", "--quiet", "-r", REQUIREMENTS.toString()));
        if (installed.status() != 0) {
            throw new IOException("Cannot install " + REQUIREMENTS + ": " + installed.output());
        }
        Files.writeString(done, wanted);
        return environment;
    }

    /** Runs a program of the environment. */
    Outcome run(Path where, Map<String, String> variables, List<String> command)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(command);
        all.set(0, folder.resolve("bin").resolve(command.getFirst()).toString());
        return run(where, variables, all.toArray(String[]::new));
    }

    private static Outcome run(Path where, Map<String, String> variables, String... command)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile("stele-client", ".log");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .directory(where.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile());
            builder.environment().putAll(variables);
            Process process = builder.start();
            if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IOException(
                        "Expected the end of %s within %d minutes, found: %s"
                                .formatted(
                                        List.of(command),
                                        TIMEOUT_MINUTES,
                                        Files.readString(output, UTF_8)));
            }
            return new Outcome(process.exitValue(), Files.readString(output, UTF_8));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /**
     * How a program ended.
     *
     * @param output what it printed, errors too
     */
    record Outcome(int status, String output) {}
}
