package io.stele.connector.clients;

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
import org.junit.jupiter.api.Assumptions;

/**
 * Python with the clients of {@code src/test/python/requirements.txt}, in a folder of the build's
 * that stays until these change.
 */
final class PythonEnvironment {
    private static final Path REQUIREMENTS = Path.of("src/test/python/requirements.txt");

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
        ClientProcess.Outcome made;
        try {
            made =
                    ClientProcess.run(
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
        ClientProcess.Outcome installed =
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
    ClientProcess.Outcome run(Path where, Map<String, String> variables, List<String> command)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(command);
        all.set(0, folder.resolve("bin").resolve(command.getFirst()).toString());
        return ClientProcess.run(where, variables, all.toArray(String[]::new));
    }
}
