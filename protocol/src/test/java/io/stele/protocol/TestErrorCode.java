package io.stele.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class TestErrorCode {
    @ParameterizedTest
    @EnumSource
    void namesAreRead(ErrorCode code) {
        assertThat(ErrorCode.of(code.name())).isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({
        "snapshot_expired, SNAPSHOT_EXPIRED",
        "READ_POINT_EXPIRED, SNAPSHOT_EXPIRED", // of earlier builds
        "FROM_THE_FUTURE, INTERNAL"
    })
    void otherNamesAreReadAsWellAsTheyCanBe(String name, ErrorCode code) {
        assertThat(ErrorCode.of(name)).isEqualTo(code);
    }
}
