package io.stele.sidecar.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TestHistogram {
    @Test
    void aValueAtABoundIsBelowIt() {
        Histogram histogram = Histogram.ofCounts();
        histogram.add(0);
        histogram.add(1);
        histogram.add(4);
        histogram.add(5);
        histogram.add(Long.MAX_VALUE / 2);
        Histogram.Snapshot snapshot = histogram.snapshot();
        assertThat(snapshot.bounds()).startsWith(1, 4, 16).hasSize(16);
        assertThat(snapshot.counts()).startsWith(2, 3, 4, 4).endsWith(4, 5);
        assertThat(histogram.getCount()).isEqualTo(5);
        assertThat(histogram.getP50()).isEqualTo(4);
        assertThat(histogram.getP99()).isInfinite();
    }

    @Test
    void timesAreToldInSeconds() {
        Histogram histogram = Histogram.ofSeconds();
        assertThat(histogram.getP99()).isZero();
        histogram.add(1_500_000);
        assertThat(histogram.getSum()).isEqualTo(0.0015);
        assertThat(histogram.getP50()).isBetween(0.0015, 0.003);
    }

    @Test
    void namesAreInSnakeCase() {
        assertThat(MetricsExposition.snakeCase("MemTableBytes")).isEqualTo("mem_table_bytes");
        assertThat(MetricsExposition.snakeCase("Level0Files")).isEqualTo("level0_files");
        assertThat(MetricsExposition.snakeCase("P99")).isEqualTo("p99");
    }
}
