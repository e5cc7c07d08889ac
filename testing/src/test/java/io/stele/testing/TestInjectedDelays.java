package io.stele.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TestInjectedDelays {
    private static final InjectedDelays DELAYS = InjectedDelays.S3.withStragglers(0.05, 10, 7);

    @Test
    void theSameRequestTakesTheSameTime() {
        for (int i = 0; i < 100; i++) {
            InjectedDelays again = InjectedDelays.S3.withStragglers(0.05, 10, 7);
            assertThat(DELAYS.factor("/b/" + i, 0)).isEqualTo(again.factor("/b/" + i, 0));
        }
    }

    @Test
    void stragglersAreTheirShareAndDifferBySeedAndAttempt() {
        InjectedDelays other = InjectedDelays.S3.withStragglers(0.05, 10, 8);
        assertThat(stragglers(DELAYS, 0)).isCloseTo(1_000, within(120L));
        assertThat(stragglers(DELAYS, 1)).isCloseTo(1_000, within(120L));
        assertThat(common(DELAYS, 0, DELAYS, 1)).isCloseTo(50, within(35L));
        assertThat(common(DELAYS, 0, other, 0)).isCloseTo(50, within(35L));
    }

    @Test
    void timesAreSpreadAndMultiplied() {
        for (int i = 0; i < 1_000; i++) {
            String target = "/b/" + i;
            double usual = DELAYS.isStraggler(target, 0) ? 10 : 1;
            assertThat(DELAYS.factor(target, 0)).isBetween(0.8 * usual, 1.2 * usual);
        }
        assertThat(InjectedDelays.NONE.factor("/b/1", 0)).isEqualTo(1);
    }

    private static long stragglers(InjectedDelays delays, int attempt) {
        return common(delays, attempt, delays, attempt);
    }

    private static long common(
            InjectedDelays first, int firstAttempt, InjectedDelays second, int secondAttempt) {
        return IntStream.range(0, 20_000)
                .mapToObj(i -> "/b/" + i)
                .filter(target -> first.isStraggler(target, firstAttempt))
                .filter(target -> second.isStraggler(target, secondAttempt))
                .count();
    }
}
