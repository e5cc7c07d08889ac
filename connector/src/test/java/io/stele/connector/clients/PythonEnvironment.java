package io.stele.connector.clients;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * Python with the clients of {@code src/test/python/requirements.txt}, in a folder of the build's
 * that stays until these change.
 */
final class PythonEnvironment {
    private static final Path PROGRAM = Path.of("src/test/python/environment.py");
    private static final int NO_VENV = 3;

    private final Path folder;

    private PythonEnvironment(Path folder) {
        this.folder = requireNonNull(folder, "folder is null");
    }

    /**
     * Makes one, unless {@code bin/stele test} has done so beside Maven; where there is no Python,
     * the test is skipped with what to install.
     */
    static PythonEnvironment open() throws IOException, InterruptedException {
        Path folder = Path.of("target/python").toAbsolutePath();
        ClientProcess.Outcome made;
        try {
            made =
                    ClientProcess.run(
                            Path.of("."),
                            Map.of(),
                            "python3",
                            PROGRAM.toString(),
                            folder.toString());
        } catch (IOException e) {
            Assumptions.abort("Needs Python 3.10 or newer with venv: " + e.getMessage());
            throw e;
        }
        Assumptions.assumeTrue(
                made.status() != NO_VENV,
                () -> "Needs Python 3.10 or newer with venv: " + made.output());
        if (made.status() != 0) {
            throw new IOException("Cannot make " + folder + ": " + made.output());
        }
        return new PythonEnvironment(folder);
    }

    /** Runs a program of the environment. */
    ClientProcess.Outcome run(Path where, Map<String, String> variables, List<String> command)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(command);
        all.set(0, folder.resolve("bin").resolve(command.getFirst()).toString());
        return ClientProcess.run(where, variables, all.toArray(String[]::new));
    }
}
