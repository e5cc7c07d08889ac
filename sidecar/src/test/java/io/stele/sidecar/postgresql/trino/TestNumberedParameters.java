package io.stele.sidecar.postgresql.trino;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestNumberedParameters {
    @Test
    void parametersAreQuestionMarks() {
        NumberedParameters found = NumberedParameters.of("SELECT $2+$1, ($2), -$12");
        assertThat(found.sql()).isEqualTo("SELECT ?+?, (?), -?");
        assertThat(found.numbers()).containsExactly(2, 1, 2, 12);
        assertThat(found.count()).isEqualTo(12);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT '$1', 'it''s $2', \"$3\", \"a\"\"$4\"",
                "SELECT a$1, _$2, \u00e9$3",
                "SELECT '$1",
                "SELECT $0, $65536, $123456, $, $a",
            })
    void whatIsNoParameterStays(String sql) {
        NumberedParameters found = NumberedParameters.of(sql);
        assertThat(found.sql()).isEqualTo(sql);
        assertThat(found.numbers()).isEmpty();
        assertThat(found.count()).isZero();
    }

    @Test
    void numbersHaveALimit() {
        assertThat(NumberedParameters.of("$65535").count()).isEqualTo(65_535);
    }
}
