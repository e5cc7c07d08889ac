package io.stele.connector;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of README.md, docs/connector.md and docs/client.md, run from the first to the last
 * on one sidecar as a reader would: the catalog file, every block of SQL and the program, and of
 * what a block of text below them says to come out. docs/protocol.md has a table of its own.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleDocumentationIT {
    private static final String CATALOG = "stele_documented";
    private static final String CONNECTOR = "docs/connector.md";
    private static final String VERSION = "117234987122688"; // as the page shows one
    private static final String CLIENT = "docs/client.md";

    private final SteleCluster cluster;

    SteleDocumentationIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void examplesRunAndGiveWhatThePageSays(@TempDir Path folder) throws Exception {
        try (SidecarFixture sidecar = cluster.newSidecar("stele_undocumented", Map.of())) {
            createCatalog(sidecar);
            for (String page : List.of("README.md", CONNECTOR)) {
                assertThat(runExamples(page)).as("examples in %s", page).isGreaterThan(4);
            }
            assertThat(runProgram(sidecar, folder)).isEqualTo(only(CLIENT, "text").text());
        }
    }

    /** From the documented catalog file, with this sidecar's port and secret. */
    private void createCatalog(SidecarFixture sidecar) throws IOException {
        Properties documented = new Properties();
        documented.load(new StringReader(only(CONNECTOR, "properties").text()));
        Map<String, String> properties = new HashMap<>();
        documented
                .stringPropertyNames()
                .forEach(name -> properties.put(name, documented.getProperty(name)));
        assertThat(properties.remove("connector.name")).isEqualTo("stele");
        assertThat(properties)
                .containsEntry("stele.shared-secret", "${ENV:STELE_SHARED_SECRET}")
                .containsOnlyKeys(sidecar.catalogProperties().keySet());
        properties.putAll(sidecar.catalogProperties());
        cluster.runner().createCatalog(CATALOG, "stele", properties);
    }

    private int runExamples(String page) throws IOException {
        String last = "";
        boolean explained = false;
        int statements = 0;
        for (DocumentedExample example : DocumentedExample.of(page)) {
            switch (example.language()) {
                case "sql" -> {
                    for (String statement : statements(example.text())) {
                        last = run(statement, example.place());
                        explained = statement.startsWith("EXPLAIN");
                        statements++;
                    }
                }
                case "text" -> {
                    String expected = example.text().strip();
                    if (explained) {
                        // A part of the plan, of another table id
                        assertThat(masked(last)).as(example.place()).contains(masked(expected));
                    } else {
                        assertThat(last).as(example.place()).isEqualTo(expected);
                    }
                }
                default -> {}
            }
        }
        return statements;
    }

    private static String masked(String plan) {
        // Whether there is an estimate depends on whether the rows are in files by now
        return plan.replace(CATALOG + ":", "stele:")
                .replaceAll("@\\d+", "@LSN")
                .replaceAll(", estimated [^\\]]*: (lookup|scan)", "");
    }

    private String run(String statement, String place) {
        try {
            return cluster
                    .runner()
                    .execute(withVersion(statement.replace("stele.", CATALOG + ".")))
                    .getMaterializedRows()
                    .stream()
                    .map(
                            row ->
                                    row.getFields().stream()
                                            .map(String::valueOf)
                                            .collect(joining(" | ")))
                    .collect(joining("\n"));
        } catch (RuntimeException e) {
            throw new AssertionError(place + ": " + statement, e);
        }
    }

    /** The version of the creation, as the page says, in the place of its example of one. */
    private String withVersion(String statement) {
        if (!statement.contains(VERSION)) {
            return statement;
        }
        Object created =
                cluster.runner()
                        .execute(
                                "SELECT min(version) FROM %s.shop.\"orders$history\""
                                        .formatted(CATALOG))
                        .getOnlyValue();
        return statement.replace(VERSION, created.toString());
    }

    private static List<String> statements(String block) {
        List<String> statements = new ArrayList<>();
        for (String statement : block.split(";\\s*(?:\n|$)")) {
            if (!statement.isBlank()) {
                statements.add(statement.strip());
            }
        }
        return statements;
    }

    private static DocumentedExample only(String page, String language) throws IOException {
        List<DocumentedExample> examples = DocumentedExample.of(page, language);
        assertThat(examples).as("examples in %s of %s", language, page).hasSize(1);
        return examples.getFirst();
    }

    /** Runs it in a process of its own; what it prints. */
    private static String runProgram(SidecarFixture sidecar, Path folder) throws Exception {
        Path source = Files.writeString(folder.resolve("Orders.java"), only(CLIENT, "java").text());
        Path output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dport=" + sidecar.clientPort(),
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        source.toString());
        builder.environment().put("STELE_SHARED_SECRET", SidecarFixture.SECRET);
        Process process =
                builder.redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        return Files.readString(output);
    }
}
