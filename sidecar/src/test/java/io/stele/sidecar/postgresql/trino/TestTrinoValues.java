package io.stele.sidecar.postgresql.trino;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.postgresql.type.PostgresType;
import io.trino.client.Row;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestTrinoValues {
    private static String shown(String type, Object value) {
        return TrinoValues.of(type).text(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "char(3) ~ `a  ` ~ a",
                "varchar ~ `a  ` ~ `a  `",
                "decimal(4,2) ~ 12.30 ~ 12.30",
                "json ~ {\"a\":1} ~ {\"a\":1}",
                "time(3) ~ 03:04:05.100 ~ 03:04:05.1",
                "timestamp(12) ~ 2026-01-02 03:04:05.678900000000 ~ 2026-01-02 03:04:05.6789",
                "timestamp(3) ~ -0001-01-02 03:04:05.000 ~ 0002-01-02 03:04:05 BC",
                "timestamp(3) with time zone ~ 2026-01-02 03:04:05.678 Europe/Berlin ~ 2026-01-02 02:04:05.678+00",
                "timestamp(0) with time zone ~ 2026-01-02 03:04:05 +02:00 ~ 2026-01-02 01:04:05+00",
                "interval day to second ~ 2 00:00:00.000 ~ 2 00:00:00.000",
            })
    void textsAreShownAsPostgresDoes(String type, String value, String expected) {
        assertThat(shown(type, value)).isEqualTo(expected);
    }

    @Test
    void numbersAndBytesAreShownAsPostgresDoes() {
        assertThat(shown("boolean", true)).isEqualTo("t");
        assertThat(shown("double", 1.0)).isEqualTo("1");
        assertThat(shown("real", 1.5f)).isEqualTo("1.5");
        assertThat(shown("bigint", 4L)).isEqualTo("4");
        assertThat(shown("varbinary", new byte[] {(byte) 0xCA})).isEqualTo("\\xca");
    }

    @Test
    void charactersOfOldCallersHaveNoBlanks() {
        assertThat(TrinoValues.text(PostgresType.BPCHAR, "a  ")).isEqualTo("a");
    }

    @Test
    void numbersInArraysAreNumbers() {
        assertThat(shown("array(decimal(4,2))", Arrays.asList("1.50", null)))
                .isEqualTo("[1.50,null]");
        assertThat(shown("array(decimal(38,10))", List.of("0.0000000001")))
                .isEqualTo("[0.0000000001]");
        assertThat(shown("array(bigint)", List.of(1L))).isEqualTo("[1]");
        assertThat(shown("array(varchar)", List.of("1"))).isEqualTo("[\"1\"]");
        assertThat(shown("map(varchar,decimal(2,1))", Map.of("k", "1.5"))).isEqualTo("{\"k\":1.5}");
    }

    @Test
    void keysAreTexts() {
        assertThat(shown("map(varbinary,integer)", Map.of(new byte[] {(byte) 0xCA}, 1)))
                .isEqualTo("{\"\\\\xca\":1}");
        assertThat(shown("map(double,boolean)", Map.of(1.0, true))).isEqualTo("{\"1\":true}");
        assertThat(shown("map(boolean,integer)", Map.of(true, 1))).isEqualTo("{\"true\":1}");
        assertThat(shown("map(decimal(3,2),integer)", Map.of("1.50", 1))).isEqualTo("{\"1.50\":1}");
        assertThat(shown("map(timestamp(3),integer)", Map.of("2026-01-02 03:04:05.600", 1)))
                .isEqualTo("{\"2026-01-02 03:04:05.6\":1}");
        assertThat(shown("map(array(decimal(2,1)),integer)", Map.of(List.of("1.5"), 1)))
                .isEqualTo("{\"[1.5]\":1}");
    }

    @Test
    void rowsHaveTheirFields() {
        Row row =
                Row.builder()
                        .addField("d", "1.5")
                        .addField("c", "a ")
                        .addUnnamedField("2026-01-02 03:04:05.000 UTC")
                        .addField("b", new byte[] {1})
                        .build();
        assertThat(
                        shown(
                                "row(d decimal(2,1),c char(2),timestamp(3) with time zone,b varbinary)",
                                row))
                .isEqualTo(
                        "{\"d\":1.5,\"c\":\"a\",\"field2\":\"2026-01-02 03:04:05+00\",\"b\":\"\\\\x01\"}");
    }

    @Test
    void unknownTypesInArraysComeAsTheyAre() {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put(new byte[] {1}, "2 00:00:00.000");
        map.put(2.0, List.of(1));
        assertThat(shown("map(varbinary,interval day to second)", map))
                .isEqualTo("{\"\\\\x01\":\"2 00:00:00.000\",\"2\":[1]}");
        assertThat(TrinoValues.of("array(interval day to second)").type())
                .isEqualTo(PostgresType.JSON);
    }

    @Test
    void typesAreShownAsPostgresTypes() {
        assertThat(TrinoValues.of("char(3)").type()).isEqualTo(PostgresType.BPCHAR);
        assertThat(TrinoValues.of("interval day to second").type()).isEqualTo(PostgresType.TEXT);
        assertThat(TrinoValues.of("row(a integer)").type()).isEqualTo(PostgresType.JSON);
    }
}
