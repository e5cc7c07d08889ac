package io.stele.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.benchmarks.chaos.BatchModel.Found;
import io.stele.benchmarks.chaos.BatchModel.Outcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestExpiryModel {
    private final ExpiryModel model =
            new ExpiryModel(Duration.ofSeconds(60), Duration.ofSeconds(10));

    @Test
    void aRowMayNotDisappearBeforeItsTime() {
        model.sent(1, 10, 0);
        model.became(1, Outcome.ACKNOWLEDGED);
        assertThat(model.check(Map.of(1L, new Found(10, 10)), seconds(49))).isEmpty();
        assertThat(model.check(Map.of(), seconds(49)))
                .containsExactly(
                        "batch 1 of 10 rows, ACKNOWLEDGED: found 0 rows, 0 of them distinct");
        assertThat(model.check(Map.of(1L, new Found(9, 9)), seconds(49))).hasSize(1);
        assertThat(model.youngCount()).isEqualTo(1);
    }

    @Test
    void fromThenOnEachRowMayBeMissing() {
        model.sent(1, 10, 0);
        model.became(1, Outcome.ACKNOWLEDGED);
        model.sent(2, 10, seconds(30));
        model.became(2, Outcome.ACKNOWLEDGED);
        assertThat(model.check(Map.of(2L, new Found(10, 10)), seconds(50))).isEmpty();
        assertThat(model.check(Map.of(1L, new Found(4, 4), 2L, new Found(10, 10)), seconds(51)))
                .isEmpty();
        assertThat(model.check(Map.of(1L, new Found(4, 3), 2L, new Found(10, 10)), seconds(51)))
                .hasSize(1);
        assertThat(model.check(Map.of(1L, new Found(11, 11), 2L, new Found(10, 10)), seconds(51)))
                .hasSize(1);
        assertThat(model.youngCount()).isEqualTo(1);
    }

    @Test
    void whatWasRefusedNeverComes() {
        model.sent(1, 10, 0);
        model.became(1, Outcome.REFUSED);
        assertThat(model.check(Map.of(1L, new Found(10, 10)), seconds(90))).hasSize(1);
        assertThat(model.check(Map.of(), seconds(90))).isEmpty();
    }

    @Test
    void whatIsFoundLateOfAnOpenOutcomeProvesNothing() {
        model.sent(1, 10, 0);
        assertThat(model.asked(1, 0, seconds(55))).isEmpty();
        assertThat(model.check(Map.of(1L, new Found(10, 10)), seconds(56))).isEmpty();
        model.sent(2, 10, seconds(56));
        assertThat(model.asked(2, 0, seconds(57))).isEmpty();
        assertThat(model.check(Map.of(2L, new Found(10, 10)), seconds(58))).hasSize(1);
        model.sent(3, 10, seconds(58));
        assertThat(model.asked(3, 4, seconds(59))).hasSize(1);
    }

    @Test
    void aTimeToLiveIsLongerThanItsTolerance() {
        assertThatThrownBy(() -> new ExpiryModel(Duration.ofSeconds(5), Duration.ofSeconds(5)))
                .hasMessage("Expected a time to live above PT5S, found PT5S");
    }

    private static long seconds(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
