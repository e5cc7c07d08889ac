package io.stele.flink.type;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.schema.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.utils.LogicalTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The mapping of types is the one of docs/streaming.md, and is the same both ways. */
final class TestFlinkTypes {
    private static LogicalType flink(String text) {
        return LogicalTypeParser.parse(text, TestFlinkTypes.class.getClassLoader());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "boolean | BOOLEAN",
                "tinyint | TINYINT",
                "smallint | SMALLINT",
                "integer | INT",
                "bigint | BIGINT",
                "real | FLOAT",
                "double | DOUBLE",
                "decimal(38,7) | DECIMAL(38, 7)",
                "varchar | STRING",
                "varchar(7) | VARCHAR(7)",
                "char(3) | CHAR(3)",
                "varbinary | BYTES",
                "date | DATE",
                "time(3) | TIME(3)",
                "timestamp(0) | TIMESTAMP(0)",
                "wide_timestamp(9) | TIMESTAMP(9)",
                "timestamp(6) with time zone | TIMESTAMP_LTZ(6)",
                "array(integer) | ARRAY<INT>",
                "map(varchar, bigint) | MAP<STRING NOT NULL, BIGINT>",
                "row(x integer, y array(varchar)) | ROW<x INT, y ARRAY<STRING>>"
            })
    void typesHaveACounterpartBothWays(String stele, String flink) {
        DataType type = DataType.parse(stele);
        assertThat(FlinkTypes.toFlink(type)).contains(flink(flink));
        DataType back = FlinkTypes.toStele(flink(flink)).orElseThrow();
        assertThat(back.text()).isEqualTo(type.text());
        assertThat(FlinkTypes.fits(flink(flink), type)).isTrue();
        assertThat(FlinkTypes.fits(flink(flink).copy(false), type)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "time(4)",
                "timestamp(10)",
                "timestamp(12) with time zone",
                "array(time(9))",
                "map(bigint, timestamp(12))",
                "row(a time(6))"
            })
    void finerTypesThanFlinkHasHaveNone(String stele) {
        assertThat(FlinkTypes.toFlink(DataType.parse(stele))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"INTERVAL DAY", "MULTISET<INT>", "TIME(6)", "ARRAY<MULTISET<INT>>"})
    void typesThatSteleDoesNotStoreHaveNone(String flink) {
        assertThat(FlinkTypes.toStele(flink(flink))).isEmpty();
    }

    @Test
    void onlyTypesOfTheSameValuesFit() {
        assertThat(FlinkTypes.fits(flink("CHAR(36)"), DataType.parse("uuid"))).isTrue();
        assertThat(FlinkTypes.fits(flink("STRING"), DataType.parse("json"))).isTrue();
        assertThat(FlinkTypes.fits(flink("BINARY(4)"), DataType.parse("varbinary"))).isTrue();
        assertThat(FlinkTypes.fits(flink("ARRAY<STRING>"), DataType.parse("array(uuid)"))).isTrue();
        assertThat(FlinkTypes.fits(flink("INT"), DataType.parse("bigint"))).isFalse();
        assertThat(FlinkTypes.fits(flink("DECIMAL(12, 3)"), DataType.parse("decimal(12,2)")))
                .isFalse();
        assertThat(FlinkTypes.fits(flink("TIMESTAMP(3)"), DataType.parse("timestamp(6)")))
                .isFalse();
        assertThat(FlinkTypes.fits(flink("STRING"), DataType.parse("time(6)"))).isFalse();
        assertThat(
                        FlinkTypes.fits(
                                flink("ROW<x INT>"), DataType.parse("row(x integer, y integer)")))
                .isFalse();
    }
}
