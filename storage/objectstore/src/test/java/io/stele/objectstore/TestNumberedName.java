package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TestNumberedName {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1_700_000_000_000L << 16, Long.MAX_VALUE - 1})
    void aNumberComesBackFromItsName(long number) {
        assertThat(NumberedName.of(number)).hasSize(NumberedName.DIGITS);
        assertThat(NumberedName.parse(NumberedName.of(number))).hasValue(number);
    }

    @Test
    void namesSortAsTheirNumbersDo() {
        assertThat(NumberedName.of(10)).isGreaterThan(NumberedName.of(9));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "1",
                "0000000000000000000x",
                "-0000000000000000001",
                "000000000000000000001",
                "09223372036854775807", // nothing comes after it
                "09223372036854775808",
                "99999999999999999999",
                "\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660"
            })
    void otherNamesHaveNoNumber(String name) {
        assertThat(NumberedName.parse(name)).isEmpty();
    }
}
