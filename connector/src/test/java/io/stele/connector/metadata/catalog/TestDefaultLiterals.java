package io.stele.connector.metadata.catalog;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.DataType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SteleReplaceAndDefaultsIT compares the values with those that Trino makes of the literals. */
final class TestDefaultLiterals {
    @Test
    void plainLiteralsHaveTheirValues() {
        check("boolean", "true", true);
        check("tinyint", "-128", (byte) -128);
        check("bigint", "BIGINT '7'", 7L);
        check("real", "1.5E0", 1.5f);
        check("double", "DOUBLE 'NaN'", Double.NaN);
        check("decimal(12,2)", "DECIMAL '-0.50'", new BigDecimal("-0.5"));
        check("varchar", "'it''s'", "it's");
        check("varchar(9)", "''", "");
        check("char(3)", "'a  '", "a");
        check("varbinary", "X'00FF'", new byte[] {0, -1});
        check("date", "DATE '-0001-2-3'", LocalDate.of(-1, 2, 3));
        check("time(3)", "TIME '1:02:03.004'", LocalTime.of(1, 2, 3, 4_000_000));
        check("timestamp(3)", "TIMESTAMP '2026-01-02'", LocalDateTime.of(2026, 1, 2, 0, 0));
        check(
                "timestamp(9)",
                "TIMESTAMP '2026-01-02 03:04:05.000000006'",
                LocalDateTime.of(2026, 1, 2, 3, 4, 5, 6));
        check(
                "timestamp(3) with time zone",
                "TIMESTAMP '2026-07-02 03:04 Europe/Berlin'",
                Instant.parse("2026-07-02T01:04:00Z"));
        check(
                "timestamp(3) with time zone",
                "TIMESTAMP '2026-07-02 03:04:05.6 +02:00'",
                Instant.parse("2026-07-02T01:04:05.600Z"));
        check("time(12)", "TIME '1:02:03.000000000004'", new BigDecimal("3723.000000000004"));
        check("time(12)", "TIME '1:02'", LocalTime.of(1, 2));
        check(
                "wide_timestamp(9)",
                "TIMESTAMP '9999-12-31 00:00:00.000000001'",
                LocalDateTime.of(9999, 12, 31, 0, 0, 0, 1));
        check(
                "timestamp(12)",
                "TIMESTAMP '1969-12-31 23:59:59.999999999999'",
                new BigDecimal("-0.000000000001"));
        check(
                "timestamp(12) with time zone",
                "TIMESTAMP '1970-01-01 01:00:00.000000000001 +01:00'",
                new BigDecimal("0.000000000001"));
        UUID uuid = new UUID(1, 2);
        check("uuid", "UUID '" + uuid + "'", uuid);
        assertThat(DefaultLiterals.initialValue("c", DataType.parse("bigint"), "null")).isEmpty();
    }

    private static void check(String type, String literal, Object value) {
        DataType parsed = DataType.parse(type);
        assertThat(DefaultLiterals.initialValue("c", parsed, literal))
                .as("%s of %s", literal, type)
                .contains(InitialRow.value(parsed, value));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "boolean | 't'",
                "integer | 1.5",
                "integer | 2147483648",
                "bigint | 1E1000000000",
                "decimal(3,1) | 0.25",
                "varchar(2) | 'abc'",
                "varchar | 7",
                "varbinary | 'abc'",
                "varbinary | X'0'",
                "date | DATE '2026-02-30'",
                "date | TIMESTAMP '2026-01-01 00:00:00'",
                "time(3) | TIME '24:00'",
                "timestamp(3) | TIMESTAMP '2026-01-01 00:00:00.0001'",
                "timestamp(3) | TIMESTAMP '2026-01-01 00:00:00 UTC'",
                "wide_timestamp(9) | TIMESTAMP '2026-01-01 00:00:00.0000000001'",
                "timestamp(3) with time zone | TIMESTAMP '2026-01-01 00:00:00'",
                "timestamp(3) with time zone | TIMESTAMP '2026-03-29 02:30:00 Europe/Berlin'",
                "timestamp(3) with time zone | TIMESTAMP '2026-01-01 00:00:00 Nowhere'",
                "uuid | UUID 'x'",
                "json | JSON '1'",
                "array(bigint) | 1"
            })
    void otherLiteralsAreRefused(String type, String literal) {
        assertTrinoExceptionThrownBy(
                        () -> DefaultLiterals.initialValue("c", DataType.parse(type), literal))
                .hasErrorCode(NOT_SUPPORTED)
                .hasMessage(
                        "Expected a plain literal of type %s as the default of the new column 'c', which rows that are there get, found %s; without rows to get it, use ALTER COLUMN ... SET DEFAULT",
                        type, literal);
    }
}
