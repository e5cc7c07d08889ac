package io.stele.sidecar.postgresql.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestTrinoLiterals {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "BOOL ~ t ~ true",
                "INT2 ~ -2 ~ SMALLINT '-2'",
                "INT4 ~ 3 ~ INTEGER '3'",
                "INT8 ~ 9223372036854775807 ~ BIGINT '9223372036854775807'",
                "FLOAT4 ~ 1.5 ~ REAL '1.5'",
                "FLOAT8 ~ -inf ~ DOUBLE '-Infinity'",
                "NUMERIC ~ 1.50 ~ DECIMAL '1.50'",
                "NUMERIC ~ 1e3 ~ DECIMAL '1000'",
                "NUMERIC ~ -1e-3 ~ DECIMAL '-0.001'",
                "TEXT ~ it's ''~ 'it''s '''''",
                "VARCHAR ~ ; -- \\ ~ '; -- \\'",
                "BYTEA ~ \\x00ff ~ X'00ff'",
                "BYTEA ~ a\\000\\\\ ~ X'61005c'",
                "DATE ~ 2026-01-02 ~ DATE '2026-01-02'",
                "TIME ~ 03:04 ~ TIME '03:04:00.000000000'",
                "TIMESTAMP ~ 2026-01-02 03:04:05.678901 ~ TIMESTAMP '2026-01-02 03:04:05.678901000'",
                "TIMESTAMPTZ ~ 2026-01-02 03:04:05+02 ~ TIMESTAMP '2026-01-02 01:04:05.000000000 UTC'",
                "TIMESTAMPTZ ~ 2026-01-02 03:04:05 ~ TIMESTAMP '2026-01-02 02:04:05.000000000 UTC'",
                "UUID ~ 12151FD2758611E98F9E2A86E4085A59 ~ UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'",
                "JSON ~ {\"a\": \"it's\"} ~ JSON '{\"a\": \"it''s\"}'",
                "JSONB ~ null ~ JSON 'null'",
            })
    void literalsHaveTheirTypes(PostgresType type, String value, String expected) {
        assertThat(TrinoLiterals.of(type.oid(), Optional.of(value), BERLIN)).isEqualTo(expected);
    }

    @Test
    void nullHasNoType() {
        assertThat(TrinoLiterals.of(PostgresType.INT4.oid(), Optional.empty(), BERLIN))
                .isEqualTo("NULL");
        assertThat(TrinoLiterals.of(PostgresType.INT4.arrayOid(), Optional.empty(), BERLIN))
                .isEqualTo("NULL");
    }

    @Test
    void arraysHaveElementsOfTheirType() {
        assertThat(array(PostgresType.INT8, "{1,NULL,3}"))
                .isEqualTo("ARRAY[BIGINT '1', NULL, BIGINT '3']");
        assertThat(array(PostgresType.TEXT, "{a,\"it's, \\\"b\\\"\",\"NULL\"}"))
                .isEqualTo("ARRAY['a', 'it''s, \"b\"', 'NULL']");
        assertThat(array(PostgresType.DATE, "{2026-01-02}")).isEqualTo("ARRAY[DATE '2026-01-02']");
        assertThat(array(PostgresType.TEXT, "{}")).isEqualTo("ARRAY[]");
    }

    private static String array(PostgresType element, String value) {
        return TrinoLiterals.of(element.arrayOid(), Optional.of(value), BERLIN);
    }

    @Test
    void unknownTypesAreTexts() {
        assertThat(TrinoLiterals.of(0, Optional.of("1' OR '1"), BERLIN)).isEqualTo("'1'' OR ''1'");
    }

    @Test
    void whatIsNoValueOfATypeIsRefused() {
        assertThatThrownBy(
                        () ->
                                TrinoLiterals.of(
                                        PostgresType.INT4.oid(), Optional.of("1 OR true"), BERLIN))
                .isInstanceOf(PostgresException.class)
                .hasMessage("Expected a value of type integer, found '1 OR true'");
    }
}
