package io.stele.protocol.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.DataType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class TestValueCodec {
    static Stream<String> types() {
        return RandomValues.ORDERABLE_TYPES.stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    void orderOfBytesIsOrderOfValues(String text) {
        DataType type = DataType.parse(text);
        ValueCodec codec = ValueCodec.of(type);
        RandomValues values = new RandomValues(new Random(text.hashCode()));
        for (int i = 0; i < 4_000; i++) {
            Object left = values.value(type);
            Object right = values.value(type);
            int expected = ValueOrder.compare(type, left, right);
            int actual =
                    Arrays.compareUnsigned(codec.encodeObject(left), codec.encodeObject(right));
            assertThat(Integer.signum(actual))
                    .as("%s and %s", left, right)
                    .isEqualTo(Integer.signum(expected));
        }
    }

    @ParameterizedTest
    @MethodSource("types")
    void valuesComeBack(String text) {
        DataType type = DataType.parse(text);
        ValueCodec codec = ValueCodec.of(type);
        RandomValues values = new RandomValues(new Random(text.hashCode() + 1));
        for (int i = 0; i < 1_000; i++) {
            Object value = values.value(type);
            Object decoded = codec.decode(codec.encodeObject(value));
            assertThat(RandomValues.comparable(decoded))
                    .isEqualTo(RandomValues.comparable(ValueOrder.canonical(value)));
        }
    }

    @Test
    void typedMethodsAgreeWithObjects() {
        ValueCodec bigint = ValueCodec.of(DataType.parse("bigint"));
        assertThat(bigint.encodeLong(-5)).isEqualTo(bigint.encodeObject(-5L));
        assertThat(bigint.decodeLong(bigint.encodeLong(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
        ValueCodec date = ValueCodec.of(DataType.parse("date"));
        assertThat(date.encodeLong(19_000))
                .isEqualTo(date.encodeObject(LocalDate.ofEpochDay(19_000)));
        assertThat(date.decodeLong(date.encodeLong(-1))).isEqualTo(-1);
        ValueCodec tinyint = ValueCodec.of(DataType.parse("tinyint"));
        assertThat(tinyint.decodeLong(tinyint.encodeLong(-128))).isEqualTo(-128);
        ValueCodec smallint = ValueCodec.of(DataType.parse("smallint"));
        assertThat(smallint.decodeLong(smallint.encodeLong(-129))).isEqualTo(-129);
        ValueCodec real = ValueCodec.of(DataType.parse("real"));
        assertThat(real.decodeFloat(real.encodeFloat(-1.5f))).isEqualTo(-1.5f);
        ValueCodec decimal = ValueCodec.of(DataType.parse("decimal(30,0)"));
        byte[] encoded = decimal.encodeInt128(-1, -7);
        assertThat(encoded).isEqualTo(decimal.encodeObject(BigDecimal.valueOf(-7)));
        assertThat(decimal.decodeHigh(encoded)).isEqualTo(-1);
        assertThat(decimal.decodeLow(encoded)).isEqualTo(-7);
        ValueCodec character = ValueCodec.of(DataType.parse("char(3)"));
        assertThat(character.encodeBytes(new byte[] {'a'}, 0, 1))
                .isEqualTo(new byte[] {'a', ' ', ' '});
        assertThat(character.decodeBytes(new byte[] {'a', ' ', ' '})).isEqualTo(new byte[] {'a'});
        assertThatThrownBy(() -> bigint.encodeDouble(1)).hasMessageContaining("type bigint");
    }

    @ParameterizedTest
    @CsvSource({
        "boolean,true,01",
        "tinyint,-1,7f",
        "smallint,1,8001",
        "integer,-2,7ffffffe",
        "bigint,1,8000000000000001",
        "real,1.0,bf800000",
        "real,-1.0,407fffff",
        "double,-0.0,8000000000000000",
        "double,NaN,fff8000000000000",
        "varchar,a,61"
    })
    void goldenBytes(String type, String text, String hex) {
        Object value =
                switch (type) {
                    case "boolean" -> Boolean.valueOf(text);
                    case "tinyint", "smallint", "integer", "bigint" -> Long.valueOf(text);
                    case "real" -> Float.valueOf(text);
                    case "double" -> Double.valueOf(text);
                    default -> text;
                };
        assertThat(ValueCodec.of(DataType.parse(type)).encodeObject(value))
                .isEqualTo(HexFormat.of().parseHex(hex));
    }

    @Test
    void goldenBytesOfSixteen() {
        assertThat(ValueCodec.of(DataType.parse("uuid")).encodeObject(new UUID(1, -1)))
                .isEqualTo(HexFormat.of().parseHex("0000000000000001ffffffffffffffff"));
        assertThat(
                        ValueCodec.of(DataType.parse("decimal(19,0)"))
                                .encodeObject(BigDecimal.valueOf(-2)))
                .isEqualTo(HexFormat.of().parseHex("7ffffffffffffffffffffffffffffffe"));
    }

    @Test
    void goldenBytesOfWideTimes() {
        assertThat(encoded("wide_timestamp(9)", LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1)))
                .isEqualTo("80000000000000000000000000000001");
        assertThat(
                        encoded(
                                "wide_timestamp(7)",
                                LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_900)))
                .isEqualTo("7fffffffffffffffffffffffffffff9c");
        assertThat(encoded("timestamp(12)", new BigDecimal("-9223372036854.775808")))
                .isEqualTo("7ffffffffff85ee00000000000000000");
        assertThat(encoded("timestamp(10) with time zone", Instant.ofEpochSecond(1)))
                .isEqualTo("8000000000000000000000e8d4a51000");
        assertThat(encoded("time(10)", new BigDecimal("1E-10"))).isEqualTo("8000000000000064");
        // As always: nanoseconds in 64 bits
        assertThat(encoded("timestamp(9)", LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1)))
                .isEqualTo("8000000000000001");
    }

    private static String encoded(String type, Object value) {
        return HexFormat.of().formatHex(ValueCodec.of(DataType.parse(type)).encodeObject(value));
    }

    @Test
    void wrongLengthsAndTypesAreRefused() {
        for (String text :
                List.of(
                        "boolean",
                        "integer",
                        "bigint",
                        "real",
                        "double",
                        "uuid",
                        "decimal(20,0)")) {
            assertThatThrownBy(() -> ValueCodec.of(DataType.parse(text)).decode(new byte[3]))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                    .hasMessageContaining("found 3");
        }
        assertThatThrownBy(() -> ValueCodec.of(DataType.parse("json")))
                .hasMessageContaining("orderable type, found json");
    }
}
