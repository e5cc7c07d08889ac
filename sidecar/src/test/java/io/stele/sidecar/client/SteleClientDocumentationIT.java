package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.SampleTables;
import io.stele.sidecar.TestingSidecar;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/client.md, run in a process of its own as a reader would. */
final class SteleClientDocumentationIT {
    private static final Path PAGE = Path.of("../docs/client.md");
    private static final Pattern PROGRAM =
            Pattern.compile("(?ms)^```java\n(.*?)^```$\\s*^```text\n(.*?)^```$");

    @Test
    void theProgramPrintsWhatThePageSays(@TempDir Path directory) throws Exception {
        Matcher program = PROGRAM.matcher(Files.readString(PAGE));
        assertThat(program.find()).as("a program and what it prints in %s", PAGE).isTrue();
        Path source =
                Files.writeString(
                        Files.createDirectory(directory.resolve("program")).resolve("Orders.java"),
                        program.group(1));
        try (TestingSidecar sidecar = TestingSidecar.start(directory.resolve("sidecar"))) {
            sidecar.createTable(SampleTables.documentedOrders());
            assertThat(run(source, sidecar.server().clientPort())).isEqualTo(program.group(2));
        }
    }

    private static String run(Path source, int port) throws Exception {
        Path output = source.resolveSibling("output");
        Path errors = source.resolveSibling("errors");
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dport=" + port,
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        source.toString());
        builder.environment().put("STELE_SHARED_SECRET", TestingSidecar.SECRET);
        Process process =
                builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as(Files.readString(errors, StandardCharsets.UTF_8))
                .isZero();
        return Files.readString(output, StandardCharsets.UTF_8);
    }
}
