package io.stele.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class TestShareAverage {
    private static final long MILLISECOND = 1_000_000;

    @Test
    void risesAtOnceAndFallsSlowly() {
        ShareAverage average = new ShareAverage(20 * MILLISECOND);
        assertThat(average.observe(8, 0)).isEqualTo(8);
        assertThat(average.observe(100, MILLISECOND)).isEqualTo(100);
        assertThat(average.observe(100, 2 * MILLISECOND)).isEqualTo(100);
        // after one period a difference is 1/e of itself
        assertThat(average.observe(0, 21 * MILLISECOND)).isCloseTo(36.8, within(0.5));
        assertThat(average.observe(0, 41 * MILLISECOND)).isCloseTo(13.5, within(0.5));
        assertThat(average.observe(50, 42 * MILLISECOND)).isEqualTo(50);
    }

    @Test
    void fallsTheSameHoweverOftenItIsAsked() {
        ShareAverage often = new ShareAverage(20 * MILLISECOND);
        ShareAverage seldom = new ShareAverage(20 * MILLISECOND);
        often.observe(1000, 0);
        seldom.observe(1000, 0);
        double last = 0;
        for (long time = MILLISECOND / 2; time <= 30 * MILLISECOND; time += MILLISECOND / 2) {
            last = often.observe(10, time);
        }
        assertThat(seldom.observe(10, 30 * MILLISECOND)).isCloseTo(last, within(last / 50));
    }

    @Test
    void worksWithClocksThatBeginBelowZeroOrWrap() {
        ShareAverage average = new ShareAverage(20 * MILLISECOND);
        assertThat(average.observe(100, -5 * MILLISECOND)).isEqualTo(100);
        assertThat(average.observe(0, 15 * MILLISECOND)).isCloseTo(36.8, within(0.5));
    }
}
