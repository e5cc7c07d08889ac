package io.stele.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class TestRowsModel {
    private final RowsModel model = new RowsModel();

    @Test
    void anAnswerDecides() {
        model.sent(Map.of(1L, 7L, 2L, 8L));
        model.acknowledged();
        assertThat(model.rows()).isEqualTo(Map.of(1L, 7L, 2L, 8L));
        model.sent(Map.of());
        model.refused();
        assertThat(model.rows()).hasSize(2);
        assertThat(model.withValue(8)).isEqualTo(Map.of(2L, 8L));
        assertThatThrownBy(model::acknowledged).hasMessage("no statement was sent");
    }

    @Test
    void anOpenStatementHappenedWholeOrNotAtAll() {
        model.sent(Map.of(1L, 7L, 2L, 8L));
        assertThat(model.asked(Map.of(1L, 7L, 2L, 8L))).isEmpty();
        model.sent(Map.of());
        assertThat(model.asked(Map.of(1L, 7L, 2L, 8L))).isEmpty();
        model.sent(Map.of());
        assertThat(model.asked(Map.of(1L, 7L)))
                .singleElement()
                .asString()
                .startsWith("a statement of open outcome happened in part")
                .contains("missing 1: [2=8]")
                .contains("too many 1: [1=7]");
        assertThat(model.rows()).isEqualTo(Map.of(1L, 7L));
    }

    @Test
    void aReaderFindsTheRowsAsTheyAre() {
        assertThat(RowsModel.check("all", Map.of(1L, 7L), Map.of(1L, 7L))).isEmpty();
        assertThat(RowsModel.check("all", Map.of(1L, 7L, 2L, 8L), Map.of(1L, 9L)))
                .containsExactly(
                        "all: expected 2 rows, found 1; missing 2: [1=7, 2=8], too many 1: [1=9]");
    }
}
