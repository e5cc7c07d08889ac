package io.stele.benchmarks.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestChaosReport {
    private final Findings findings =
            new Findings(new PrintStream(new ByteArrayOutputStream(), true, UTF_8));
    private final ClientTally tally = new ClientTally("sql");

    @Test
    void aClientThatDidTooLittleIsFound() {
        assertThat(tally.missing(Duration.ofSeconds(6)))
                .hasValue("expected at least 1 acknowledged writes and 1 checks, found 0 and 0");
        tally.acknowledged();
        assertThat(tally.missing(Duration.ofSeconds(6))).isPresent();
        tally.checked();
        assertThat(tally.missing(Duration.ofSeconds(6))).isEmpty();
        assertThat(tally.missing(Duration.ofMinutes(5)))
                .hasValue("expected at least 10 acknowledged writes and 5 checks, found 1 and 1");
    }

    @Test
    void theTableHasEveryCount() {
        String text = report().text();
        assertThat(text)
                .contains("seed 7, 2.0 minutes after 33 s until all were ready, without [ddl]")
                .containsPattern("episodes +kill +stop +pause +disk +clock +none\n")
                .containsPattern("errors +2 +0 +0 +0 +0 +1\n")
                .containsPattern("total +2 +0 +0 +0 +0 +1\n")
                .containsPattern("clients +statements +acknowledged +refused +open +checks")
                .containsPattern("sql +1 +2 +1 +1 +1 +1\n")
                .containsPattern("sidecar +0 +0 +0 +0 +0 +1\n")
                .containsPattern("total +1 +2 +1 +1 +1 +2\n")
                .contains("crashes 4")
                .contains("sidecar: ended by itself")
                .endsWith("2 violations");
    }

    @Test
    void theFileHasTheSame(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("report.json");
        report().write(file);
        JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertThat(json.path("seed").asLong()).isEqualTo(7);
        assertThat(json.path("episodes").path("errors").path("kill").asLong()).isEqualTo(2);
        assertThat(json.path("clients").get(0).path("client").asText()).isEqualTo("sql");
        assertThat(json.path("clients").get(0).path("acknowledged").asLong()).isEqualTo(2);
        assertThat(json.path("violationCounts").path("sidecar").asLong()).isEqualTo(1);
        assertThat(json.path("violations").get(1).asText()).isEqualTo("sidecar: ended by itself");
    }

    private ChaosReport report() {
        tally.stated();
        tally.acknowledged();
        tally.acknowledged();
        tally.refused();
        tally.open();
        tally.checked();
        findings.count(ChaosReport.EPISODES + "errors kill", 2);
        findings.count(ChaosReport.EPISODES + "errors " + ChaosReport.NO_INCIDENT);
        findings.count("crashes", 4);
        findings.violation("sql", "batch 1 is there in part");
        findings.violation("sidecar", "ended by itself");
        return ChaosReport.of(
                ChaosOptions.parse(List.of("--seed", "7", "--minutes", "2", "--without", "ddl"), 1),
                33,
                List.of(tally),
                findings);
    }
}
