package io.stele.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The examples of the README and of docs/connector.md, run from the first to the last on one
 * sidecar as a reader would: every block of SQL, and of what a block of text below it says to come
 * out.
 */
@ExtendWith(SteleCluster.Shared.class)
final class SteleDocumentationIT {
    private static final List<Path> PAGES =
            List.of(Path.of("../README.md"), Path.of("../docs/connector.md"));
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(sql|text)\n(.*?)^```$");

    private final SteleCluster cluster;

    SteleDocumentationIT(SteleCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void examplesRunAndGiveWhatThePageSays() throws IOException {
        String catalog = "stele_documented";
        try (SidecarFixture _ = cluster.newSidecar(catalog, Map.of())) {
            cluster.runner().execute("DROP SCHEMA %s.s".formatted(catalog));
            for (Path page : PAGES) {
                assertThat(runExamples(page, catalog)).as("examples in %s", page).isGreaterThan(4);
            }
        }
    }

    private int runExamples(Path path, String catalog) throws IOException {
        String last = "";
        int statements = 0;
        String page = Files.readString(path);
        Matcher blocks = BLOCK.matcher(page);
        while (blocks.find()) {
            String place =
                    path + ", line " + (page.substring(0, blocks.start()).lines().count() + 1);
            if (blocks.group(1).equals("text")) {
                assertThat(last).as(place).isEqualTo(blocks.group(2).strip());
                continue;
            }
            for (String statement : statements(blocks.group(2))) {
                last = run(statement.replace("stele.", catalog + "."), place);
                statements++;
            }
        }
        return statements;
    }

    private String run(String statement, String place) {
        try {
            List<String> rows = new ArrayList<>();
            cluster.runner()
                    .execute(statement)
                    .getMaterializedRows()
                    .forEach(
                            row ->
                                    rows.add(
                                            String.join(
                                                    " | ",
                                                    row.getFields().stream()
                                                            .map(String::valueOf)
                                                            .toList())));
            return String.join("\n", rows);
        } catch (RuntimeException e) {
            throw new AssertionError(place + ": " + statement, e);
        }
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
}
