package io.stele.engine.garbage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TestReferencedPaths {
    @Test
    void hasWhatWasAdded() {
        ReferencedPaths paths = new ReferencedPaths();
        assertThat(paths.contains("data/7/0/0.orc")).isFalse();
        for (int i = 0; i < 1_000; i++) {
            paths.add("data/7/0/%d.orc".formatted(i));
            if (i % 100 == 0) {
                assertThat(paths.contains("data/7/0/%d.orc".formatted(i))).isTrue();
            }
        }
        for (int i = 0; i < 2_000; i++) {
            assertThat(paths.contains("data/7/0/%d.orc".formatted(i))).isEqualTo(i < 1_000);
        }
    }
}
