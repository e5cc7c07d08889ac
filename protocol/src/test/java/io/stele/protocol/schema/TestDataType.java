package io.stele.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TestDataType {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "boolean",
                "tinyint",
                "smallint",
                "integer",
                "bigint",
                "real",
                "double",
                "decimal(1,0)",
                "decimal(38,38)",
                "varchar",
                "varchar(0)",
                "varchar(2147483646)",
                "char(0)",
                "char(65536)",
                "varbinary",
                "date",
                "time(0)",
                "time(9)",
                "timestamp(3)",
                "timestamp(9) with time zone",
                "time(12)",
                "timestamp(12)",
                "timestamp(10) with time zone",
                "wide_timestamp(7)",
                "wide_timestamp(9) with time zone",
                "row(\"a\" wide_timestamp(9), wide_timestamp(7) with time zone)",
                "uuid",
                "json",
                "array(map(varchar(3), row(\"a\" integer, \"B c\"\"d\" array(timestamp(0) with time zone))))",
                "row(bigint, \"x\" double)"
            })
    void textIsParsedBack(String text) {
        DataType type = DataType.parse(text);
        assertThat(type.text()).isEqualTo(text);
        assertThat(type).hasToString(text);
        assertThat(DataType.parse(type.text())).isEqualTo(type);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INT|integer",
                "double precision|double",
                "Decimal( 10 , 2 )|decimal(10,2)",
                "decimal(7)|decimal(7,0)",
                "char|char(1)",
                "timestamp|timestamp(3)",
                "timestamp with time zone|timestamp(3) with time zone",
                "Time|time(3)",
                "wide_timestamp(6)|timestamp(6)",
                "wide_timestamp(12)|timestamp(12)",
                "array<bigint>|array(bigint)",
                "row(Total bigint, t timestamp with time zone)|"
                        + "row(\"Total\" bigint, \"t\" timestamp(3) with time zone)",
                "row(timestamp(3) with time zone, double precision)|row(timestamp(3) with time zone, double)",
                "row(date date, double double)|row(\"date\" date, \"double\" double)"
            })
    void readsOtherSpellings(String text, String canonical) {
        assertThat(DataType.parse(text).text()).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hyperloglog|hyperloglog",
                "interval day to second|interval day to second",
                "time(3) with time zone|time(3) with time zone",
                "decimal(39,0)|precision of 1 to 38, found 39",
                "decimal(3,4)|scale of 0 to the precision, found 4",
                "timestamp(13)|precision of 0 to 12, found 13",
                "wide_timestamp(13)|precision of 0 to 12, found 13",
                "time(13)|precision of 0 to 12, found 13",
                "char(65537)|0 to 65536, found 65537",
                "varchar(99999999999)|number of at most",
                "array(bigint|at character 12",
                "array()|type name",
                "row()|type name",
                "bigint bigint|end of the type",
                "row(\"a bigint)|closing quote",
                "timestamp(3) with zone|with time zone",
                "''|type name"
            })
    void refusesByName(String text, String message) {
        assertThatThrownBy(() -> DataType.parse(text))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }

    @Test
    void nestingIsLimited() {
        String deepest =
                "array(".repeat(DataType.MAX_DEPTH) + "bigint" + ")".repeat(DataType.MAX_DEPTH);
        assertThat(DataType.parse(deepest).depth()).isEqualTo(DataType.MAX_DEPTH);
        assertThatThrownBy(() -> DataType.parse("array(" + deepest + ")"))
                .hasMessageContaining("32 levels");
        assertThatThrownBy(() -> new ArrayType(DataType.parse(deepest)))
                .hasMessageContaining("32 levels");
        assertThatThrownBy(() -> DataType.parse("array(".repeat(100_000)))
                .isInstanceOf(SteleException.class);
    }

    /** What old catalogs, logs and files say of a column must go on to mean what it meant. */
    @Test
    void nanosecondsOf64BitsKeepTheirName() {
        DataType old = DataType.parse("timestamp(9)");
        assertThat(old.form()).isEqualTo(PhysicalForm.INT64);
        DataType wide = TimestampType.ofAllYears(9, false);
        assertThat(wide.form()).isEqualTo(PhysicalForm.INT128);
        assertThat(wide).isNotEqualTo(old).hasToString("wide_timestamp(9)");
        assertThat(TimestampType.ofAllYears(6, true))
                .isEqualTo(DataType.parse("timestamp(6) with time zone"));
        assertThat(TimestampType.ofAllYears(12, true))
                .isEqualTo(DataType.parse("timestamp(12) with time zone"));
    }

    @Test
    void nanosecondsWidenToAllYears() {
        DataType old = DataType.parse("timestamp(8) with time zone");
        assertThat(TypeWidening.isWidening(old, TimestampType.ofAllYears(8, true))).isTrue();
        assertThat(TypeWidening.isWidening(TimestampType.ofAllYears(8, true), old)).isFalse();
        assertThat(TypeWidening.isWidening(old, TimestampType.ofAllYears(8, false))).isFalse();
        assertThat(TypeWidening.isWidening(old, TimestampType.ofAllYears(9, true))).isFalse();
        assertThat(
                        TypeWidening.isWidening(
                                DataType.parse("timestamp(6)"), TimestampType.ofAllYears(7, false)))
                .isFalse();
    }

    @Test
    void onlyScalarsButJsonHaveAnOrder() {
        assertThat(DataType.parse("varchar").isOrderable()).isTrue();
        assertThat(DataType.parse("uuid").isOrderable()).isTrue();
        assertThat(DataType.parse("json").isOrderable()).isFalse();
        assertThat(DataType.parse("array(bigint)").isOrderable()).isFalse();
    }
}
