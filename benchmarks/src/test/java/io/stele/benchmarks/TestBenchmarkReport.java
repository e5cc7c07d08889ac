package io.stele.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.testing.DocumentedExample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestBenchmarkReport {
    /** The one of benchmarks/README.md: read, and written again, it is the same. */
    @Test
    void theDocumentedJsonIsWhatIsWritten(@TempDir Path folder) throws IOException {
        List<DocumentedExample> examples = DocumentedExample.of("benchmarks/README.md", "json");
        assertThat(examples).hasSize(1);
        ObjectMapper json = new ObjectMapper();
        BenchmarkReport report = json.readValue(examples.getFirst().text(), BenchmarkReport.class);
        assertThat(report.targets()).allMatch(target -> target.measured() <= target.target());
        Path file = folder.resolve("report.json");
        BenchmarkRunner.write(report, file);
        assertThat(json.readTree(file.toFile()))
                .isEqualTo(json.readTree(examples.getFirst().text()));
    }

    @Test
    void aQuickRunMeetsNoTarget() {
        BenchmarkReport full =
                new BenchmarkReport(
                        "name",
                        "machine",
                        Map.of("a ms", 1.0),
                        List.of(Target.atMost("a ms", 2, 1), Target.atLeast("b", 2, 1)));
        assertThat(full.targets()).extracting(Target::met).containsExactly(true, false);
        BenchmarkReport quick = full.ofQuickRun();
        assertThat(quick.targets()).extracting(Target::met).containsExactly(false, false);
        assertThat(quick.targets()).extracting(Target::measured).containsExactly(1.0, 1.0);
        assertThat(quick.text()).contains("a quick run").doesNotContain("  met ");
    }
}
