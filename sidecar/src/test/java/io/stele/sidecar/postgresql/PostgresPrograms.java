package io.stele.sidecar.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.TestingSidecar;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** PostgreSQL's own programs, psql and pgbench, as clients of a sidecar. */
final class PostgresPrograms {
    private static final int TIMEOUT_MINUTES = 2;

    private final int port;
    private final Path folder;

    /**
     * Skips the test where a program is missing.
     *
     * @param port of the sidecar
     * @param folder in which programs run
     */
    PostgresPrograms(int port, Path folder) {
        requireProgram("psql", "postgresql-client");
        requireProgram("pgbench", "postgresql");
        this.port = port;
        this.folder = folder;
    }

    /** What a program has printed. */
    record Output(int status, String text, String errors) {}

    private static void requireProgram(String name, String packageName) {
        String path = System.getenv().getOrDefault("PATH", "");
        boolean isThere =
                Arrays.stream(path.split(File.pathSeparator))
                        .anyMatch(part -> Files.isExecutable(Path.of(part, name)));
        Assumptions.assumeTrue(
                isThere,
                "Needs %s on the path, found none: install Debian's package %s"
                        .formatted(name, packageName));
    }

    /** Runs a script in psql, in which no statement fails; returns what it prints. */
    String script(String script, String... options) throws IOException {
        Output output = psql("\\set ON_ERROR_STOP on\n" + script, options);
        assertThat(output.status()).as(output.errors()).isZero();
        return output.text();
    }

    /** Runs a script in psql. */
    Output psql(String script, String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("psql", "--no-psqlrc", "--quiet"));
        command.addAll(List.of(options));
        return run(command, script);
    }

    /** Runs pgbench; it must end with status 0. Returns what it reports. */
    String pgbench(String script, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of("pgbench", "--no-vacuum"));
        command.addAll(options);
        command.add("--file=" + Files.writeString(folder.resolve("pgbench.sql"), script));
        Output output = run(command, "");
        assertThat(output.status()).as(output.errors()).isZero();
        return output.text();
    }

    private Output run(List<String> command, String input) throws IOException {
        Path in = Files.writeString(folder.resolve("in"), input);
        Path out = folder.resolve("out");
        Path errors = folder.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment()
                .putAll(
                        Map.of(
                                "PGHOST", "127.0.0.1",
                                "PGPORT", Integer.toString(port),
                                "PGUSER", "ann",
                                "PGPASSWORD", TestingSidecar.SECRET,
                                "PGDATABASE", "stele",
                                "PGOPTIONS", "-c search_path=shop",
                                "PGCLIENTENCODING", "UTF8",
                                "LC_ALL", "C.UTF-8"));
        Process process =
                builder.redirectInput(in.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(errors.toFile())
                        .start();
        try {
            assertThat(process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES))
                    .as("ended: %s", command)
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
        }
        return new Output(
                process.exitValue(), Files.readString(out, UTF_8), Files.readString(errors, UTF_8));
    }
}
