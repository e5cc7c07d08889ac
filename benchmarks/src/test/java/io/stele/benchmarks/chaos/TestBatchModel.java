package io.stele.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.benchmarks.chaos.BatchModel.Found;
import io.stele.benchmarks.chaos.BatchModel.Outcome;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestBatchModel {
    private final BatchModel model = new BatchModel(true);

    @Test
    void whatWasAcknowledgedIsThereWhole() {
        model.sent(1, 10);
        model.became(1, Outcome.ACKNOWLEDGED);
        assertThat(model.check(Map.of(1L, new Found(10, 10)))).isEmpty();
        assertThat(model.check(Map.of()))
                .containsExactly(
                        "batch 1 of 10 rows, ACKNOWLEDGED: found 0 rows, 0 of them distinct");
        assertThat(model.check(Map.of(1L, new Found(9, 9)))).hasSize(1);
    }

    @Test
    void aRowIsNeverThereTwice() {
        model.sent(1, 10);
        assertThat(model.check(Map.of(1L, new Found(10, 9)))).hasSize(1);
        BatchModel rows = new BatchModel(false);
        rows.sent(1, 10);
        assertThat(rows.check(Map.of(1L, new Found(4, 3)))).hasSize(1);
    }

    @Test
    void whatIsOpenIsThereWholeOrNotAtAll() {
        model.sent(1, 10);
        assertThat(model.check(Map.of())).isEmpty();
        assertThat(model.check(Map.of(1L, new Found(10, 10)))).isEmpty();
        assertThat(model.check(Map.of(1L, new Found(5, 5)))).hasSize(1);
        BatchModel rows = new BatchModel(false);
        rows.sent(1, 10);
        assertThat(rows.check(Map.of(1L, new Found(5, 5)))).isEmpty();
        assertThat(rows.check(Map.of(1L, new Found(11, 11)))).hasSize(1);
    }

    @Test
    void whatWasRefusedIsNotThere() {
        model.sent(1, 10);
        model.became(1, Outcome.REFUSED);
        assertThat(model.check(Map.of())).isEmpty();
        assertThat(model.check(Map.of(1L, new Found(10, 10)))).hasSize(1);
    }

    @Test
    void anAnswerStays() {
        model.sent(1, 10);
        assertThat(model.asked(1, 0)).isEmpty();
        assertThat(model.check(Map.of(1L, new Found(10, 10))))
                .containsExactly(
                        "batch 1 of 10 rows, ABSENT_WHEN_ASKED: found 10 rows, 10 of them distinct");
        model.sent(2, 10);
        assertThat(model.asked(2, 10)).isEmpty();
        assertThat(model.check(Map.of())).hasSize(1);
        model.sent(3, 10);
        assertThat(model.asked(3, 4)).containsExactly("batch 3 is there in part: 4 of 10 rows");
    }

    @Test
    void whatExpiresMayBeMissingInPart() {
        model.sent(1, 10);
        model.became(1, Outcome.ACKNOWLEDGED);
        model.expired(1);
        assertThat(model.check(Map.of(1L, new Found(3, 3)))).isEmpty();
        assertThat(model.check(Map.of(1L, new Found(3, 2)))).hasSize(1);
        model.sent(2, 10);
        model.became(2, Outcome.REFUSED);
        model.expired(2);
        assertThat(model.check(Map.of(2L, new Found(3, 3)))).hasSize(1);
    }

    @Test
    void aReaderIsComparedWithWhatWasKnownBefore() {
        model.sent(1, 10);
        BatchModel before = model.copy();
        model.became(1, Outcome.ACKNOWLEDGED);
        assertThat(before.check(Map.of())).isEmpty();
        assertThat(model.check(Map.of())).hasSize(1);
    }
}
