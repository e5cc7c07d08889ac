package io.stele.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class TestRatios {
    @Test
    void areSummedUpByTheirGeometricMeanAndTheLowest() {
        Ratios ratios = new Ratios();
        assertThat(ratios.geometricMean()).isNaN();
        assertThat(ratios.least()).isNaN();
        ratios.add(4);
        ratios.add(0.5);
        ratios.add(4);
        assertThat(ratios.geometricMean()).isCloseTo(2, within(1e-12));
        assertThat(ratios.least()).isEqualTo(0.5);
        assertThat(Target.atLeast("without queries", 1, new Ratios().least()).met()).isFalse();
    }
}
