package io.stele.connector.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A client in a process of its own, as users start it. */
final class ClientProcess {
    private static final long TIMEOUT_MINUTES = 10;

    private ClientProcess() {}

    /**
     * Runs a program to its end.
     *
     * @param variables of its environment, besides those of this process
     */
    static Outcome run(Path where, Map<String, String> variables, String... command)
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
