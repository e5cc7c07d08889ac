package io.stele.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestBenchmarkReport {
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
