package io.stele.protocol.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestBinaryRow {
    private static final HexFormat HEX = HexFormat.of();

    @Test
    void everyTypeComesBack() {
        long seed = 42;
        RandomValues values = new RandomValues(new Random(seed));
        List<ColumnSchema> columns = RandomValues.allColumns();
        RowLayout layout = RowLayout.of(columns);
        RowEncoder encoder = new RowEncoder(layout);
        BinaryRow row = new BinaryRow(layout);
        for (int i = 0; i < 3_000; i++) {
            List<@Nullable Object> expected = values.row(columns);
            int length = Rows.encode(encoder, expected);
            layout.validate(encoder.array(), 0, length);
            assertSame(Rows.toObjects(row.wrap(encoder.array(), 0, length)), expected);
        }
    }

    @Test
    void rowsAreReadAtAnyOffset() {
        RandomValues values = new RandomValues(new Random(7));
        List<ColumnSchema> columns = RandomValues.allColumns();
        RowLayout layout = RowLayout.of(columns);
        List<@Nullable Object> expected = values.row(columns);
        byte[] row = Rows.toBytes(layout, expected.toArray());
        byte[] shifted = new byte[row.length + 20];
        Arrays.fill(shifted, (byte) 0x5A);
        System.arraycopy(row, 0, shifted, 13, row.length);
        layout.validate(shifted, 13, row.length);
        BinaryRow view = new BinaryRow(layout).wrap(shifted, 13, row.length);
        assertSame(Rows.toObjects(view), expected);
        assertThat(view.toByteArray()).isEqualTo(row);
    }

    @Test
    void wideRowsOfEveryWidthOfBitmap() {
        RandomValues values = new RandomValues(new Random(5));
        for (int count : new int[] {1, 7, 8, 9, 16, 17, 1000}) {
            List<ColumnSchema> columns =
                    RandomValues.columns(Collections.nCopies(count, "varchar"));
            RowLayout layout = RowLayout.of(columns);
            List<@Nullable Object> expected = values.row(columns);
            byte[] row = Rows.toBytes(layout, expected.toArray());
            layout.validate(row, 0, row.length);
            assertSame(Rows.toObjects(new BinaryRow(layout).wrap(row)), expected);
        }
    }

    /** The bytes on disk and on the wire: a change here breaks every file. */
    @Test
    void goldenBytes() {
        List<ColumnSchema> columns =
                RandomValues.columns(
                        List.of(
                                "boolean",
                                "tinyint",
                                "smallint",
                                "integer",
                                "bigint",
                                "real",
                                "double",
                                "decimal(5,2)",
                                "decimal(20,2)",
                                "varchar",
                                "uuid",
                                "timestamp(3)",
                                "array(integer)",
                                "map(varchar, bigint)",
                                "row(\"a\" date, \"b\" varchar)",
                                "varbinary",
                                "time(0)"));
        Map<String, @Nullable Long> map = new LinkedHashMap<>();
        map.put("k", 7L);
        map.put("", null);
        byte[] row =
                Rows.toBytes(
                        RowLayout.of(columns),
                        true,
                        (byte) -2,
                        (short) 0x0102,
                        0x01020304,
                        0x0102030405060708L,
                        1.5f,
                        -2.0,
                        new BigDecimal("123.45"),
                        new BigDecimal("-1.00"),
                        "añ",
                        new UUID(0x0011223344556677L, 0x8899AABBCCDDEEFFL),
                        LocalDateTime.of(1970, 1, 1, 0, 0, 1),
                        Arrays.asList(1, null),
                        map,
                        Arrays.asList(LocalDate.of(1970, 1, 2), "z"),
                        null,
                        LocalTime.of(0, 0, 1));
        assertThat(HEX.formatHex(row))
                .isEqualTo(
                        "008000" // column 15 is null
                                + "01"
                                + "fe"
                                + "0201"
                                + "04030201"
                                + "0807060504030201"
                                + "0000c03f"
                                + "00000000000000c0"
                                + "3930000000000000"
                                + "ffffffffffffffffffffffffffffff9c"
                                + "03000000" // varchar ends at 3
                                + "00112233445566778899aabbccddeeff"
                                + "40420f0000000000"
                                + "10000000" // array ends at 16
                                + "37000000" // map ends at 55
                                + "41000000" // row ends at 65
                                + "41000000" // null ends where the row does
                                + "00ca9a3b00000000"
                                + "61c3b1"
                                + "02000000"
                                + "02"
                                + "01000000"
                                + "00000000"
                                + "0e000000"
                                + "02000000"
                                + "00"
                                + "01000000"
                                + "01000000"
                                + "6b"
                                + "02000000"
                                + "02"
                                + "0700000000000000"
                                + "0000000000000000"
                                + "00"
                                + "01000000"
                                + "01000000"
                                + "7a");
    }

    @Test
    void nestedValuesAreReadInPlace() {
        RowLayout layout =
                RowLayout.of(
                        RandomValues.columns(List.of("array(row(\"a\" bigint, \"b\" varchar))")));
        RowEncoder encoder = new RowEncoder(layout);
        for (int round = 0; round < 3; round++) {
            encoder.reset();
            ArrayEncoder array = encoder.beginArray(0, 3);
            RowEncoder first = array.beginRow(0);
            first.setLong(0, round);
            first.setString(1, "x".repeat(300 * round));
            first.end();
            RowEncoder last = array.beginRow(2);
            last.setString(1, "last");
            last.end();
            array.end();
            int length = encoder.finish();
            layout.validate(encoder.array(), 0, length);
            BinaryArray read = new BinaryRow(layout).wrap(encoder.array(), 0, length).arrayAt(0);
            assertThat(read.count()).isEqualTo(3);
            assertThat(read.rowAt(0).longAt(0)).isEqualTo(round);
            assertThat(read.rowAt(0).stringAt(1)).hasSize(300 * round);
            assertThat(read.isNull(1)).isTrue();
            assertThat(read.rowAt(2).isNull(0)).isTrue();
            assertThat(read.rowAt(2).stringAt(1)).isEqualTo("last");
            assertThatThrownBy(() -> read.rowAt(3)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void columnsOfVaryingLengthAreSetInOrder() {
        RowLayout layout =
                RowLayout.of(RandomValues.columns(List.of("varchar", "bigint", "varchar")));
        RowEncoder encoder = new RowEncoder(layout);
        encoder.setString(2, "b");
        encoder.setLong(1, 1);
        encoder.setLong(1, 2);
        encoder.setNull(1);
        assertThatThrownBy(() -> encoder.setString(0, "a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'c1' out of order");
        assertThatThrownBy(() -> encoder.setNull(2)).isInstanceOf(IllegalStateException.class);
        byte[] row = encoder.finishToArray();
        layout.validate(row, 0, row.length);
        assertThat(Rows.toObjects(new BinaryRow(layout).wrap(row)))
                .containsExactly(null, null, "b");
    }

    @Test
    void unfinishedNestedValuesAreNoticed() {
        RowLayout layout =
                RowLayout.of(RandomValues.columns(List.of("map(bigint, bigint)", "varchar")));
        RowEncoder encoder = new RowEncoder(layout);
        MapEncoder map = encoder.beginMap(0, 1);
        assertThatThrownBy(map::end).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(map::beginValues).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> encoder.setString(1, "x"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(encoder::finish)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'c1'");
        encoder.reset();
        assertThat(encoder.finish()).isEqualTo(layout.fixedSize());
    }

    @Test
    void notNullColumnsMustBeSet() {
        List<ColumnSchema> columns =
                new ArrayList<>(RandomValues.columns(Collections.nCopies(11, "bigint")));
        columns.set(9, columns.get(9).notNull());
        RowEncoder encoder = new RowEncoder(RowLayout.of(columns));
        assertThatThrownBy(encoder::finish)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NULL_KEY))
                .hasMessageContaining("'c10'");
        encoder.setLong(9, 0);
        assertThat(encoder.finish()).isPositive();
    }

    @Test
    void wrongAccessorsAreRefused() {
        RowLayout layout =
                RowLayout.of(RandomValues.columns(List.of("varchar", "bigint", "array(bigint)")));
        BinaryRow row = new BinaryRow(layout).wrap(Rows.toBytes(layout, "a", 1L, List.of()));
        assertThatThrownBy(() -> row.longAt(0)).hasMessageContaining("found type varchar");
        assertThatThrownBy(() -> row.bytesAt(1)).hasMessageContaining("found type bigint");
        assertThatThrownBy(() -> row.doubleAt(1)).hasMessageContaining("found type bigint");
        assertThatThrownBy(() -> row.stringAt(2)).hasMessageContaining("found type array(bigint)");
        assertThatThrownBy(() -> row.mapAt(2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> row.longAt(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void tooLargeRowsAreRefused() {
        RowLayout layout =
                RowLayout.of(RandomValues.columns(List.of("varbinary", "array(bigint)")));
        byte[] large = new byte[RowLayout.MAX_ROW_BYTES - layout.fixedSize()];
        byte[] row = Rows.toBytes(layout, large, null);
        layout.validate(row, 0, row.length);
        assertThat(row).hasSize(RowLayout.MAX_ROW_BYTES);
        RowEncoder encoder = new RowEncoder(layout);
        encoder.setBytes(0, large);
        assertRefused(
                ErrorCode.ROW_TOO_LARGE,
                "at most 16777216 bytes, found at least 16777220",
                () -> encoder.beginArray(1, 0));
        RowEncoder other = new RowEncoder(layout);
        assertRefused(
                ErrorCode.ROW_TOO_LARGE,
                "found 2147483647",
                () -> other.beginArray(1, Integer.MAX_VALUE));
        byte[] tooLarge = new byte[RowLayout.MAX_ROW_BYTES + 1];
        assertRefused(
                ErrorCode.ROW_TOO_LARGE,
                "found 16777217",
                () -> layout.validate(tooLarge, 0, tooLarge.length));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "integer|a String",
                "varchar|a java.lang.Long",
                "varbinary|a java.lang.Long",
                "boolean|a java.lang.Long",
                "real|a java.lang.Long",
                "double|a java.lang.Long",
                "decimal(3,1)|a java.lang.Long",
                "date|a java.lang.Long",
                "timestamp(3)|a java.lang.Long",
                "timestamp(3) with time zone|a java.lang.Long",
                "uuid|a java.lang.Long",
                "array(bigint)|a java.lang.Long",
                "map(bigint, bigint)|a java.lang.Long",
                "row(\"a\" bigint)|a java.lang.Long",
            })
    void wrongClassesAreRefusedByName(String type, String found) {
        Object value = found.contains("Long") ? (Object) 1L : "1";
        assertMismatch(type, value, "'c1'");
        assertMismatch(type, value, "of type " + DataType.parse(type));
        assertMismatch(type, value, value.getClass().getName());
    }

    @Test
    void questionMarksAreText() {
        RowLayout layout =
                RowLayout.of(List.of(new ColumnSchema(1, "c1", DataType.parse("varchar"))));
        for (String text :
                List.of("?", "0123456?", "01234567?", "a?b?c?d?e?f?", "é?", "?\uD83D\uDE00?")) {
            byte[] row = Rows.toBytes(layout, text);
            assertThat(Rows.toObjects(new BinaryRow(layout).wrap(row))).containsExactly(text);
        }
    }

    @Test
    void valuesOutOfTheirTypeAreRefused() {
        assertMismatch("tinyint", 128, "found 128");
        assertMismatch("integer", 1L << 31, "found 2147483648");
        assertMismatch("decimal(3,1)", new BigDecimal("100"), "found 100");
        assertMismatch("decimal(3,1)", new BigDecimal("1.25"), "found 1.25");
        assertMismatch("decimal(38,0)", new BigDecimal("1E+1000000000"), "found 1E+1000000000");
        assertMismatch("decimal(38,0)", new BigDecimal(BigInteger.TEN.pow(38)), "decimal(38,0)");
        assertMismatch("varchar(2)", "abc", "found 3 characters");
        for (String text :
                List.of(
                        "\uD800",
                        "a?\uDC00b",
                        "0123456789\uD83D",
                        "\uDC00\uD800",
                        "??????????\uD800?",
                        "?é\uD800",
                        "\uD83D\uDE00?\uDE00")) {
            assertMismatch("varchar", text, "'c1', found a surrogate without its partner");
        }
        assertMismatch("char(2)", "a b ", "found 3 characters");
        assertMismatch("time(3)", LocalTime.of(0, 0, 0, 1), "found 00:00:00.000000001");
        assertMismatch(
                "timestamp(3)", LocalDateTime.of(2020, 1, 1, 0, 0, 0, 1_000), "timestamp(3)");
        assertMismatch(
                "timestamp(9)", LocalDateTime.of(2263, 1, 1, 0, 0), "found 2263-01-01T00:00");
        assertMismatch("timestamp(6)", LocalDateTime.MAX, "timestamp(6)");
        assertMismatch("wide_timestamp(9)", LocalDateTime.MAX, "found +999999999");
        assertMismatch("timestamp(12)", LocalDateTime.MAX, "timestamp(12)");
        assertMismatch("wide_timestamp(9) with time zone", Instant.MAX, "found +1000000000");
        assertMismatch(
                "wide_timestamp(7)", LocalDateTime.of(2020, 1, 1, 0, 0, 0, 1), "wide_timestamp(7)");
        assertMismatch("timestamp(10)", new BigDecimal("0.00000000001"), "found 1E-11");
        assertMismatch("timestamp(12)", new BigDecimal("1E+1000000000"), "more than 20 digits");
        assertMismatch("timestamp(12)", new BigDecimal("9223372036854.775808"), "found 922");
        assertMismatch("wide_timestamp(9)", new BigDecimal("1"), "found a java.math.BigDecimal");
        assertMismatch("time(12)", new BigDecimal("86400"), "found 86400");
        assertMismatch("time(12)", new BigDecimal("1E+19"), "found 1E+19");
        assertMismatch("time(12)", new BigDecimal("-0.000000000001"), "found -1E-12");
        assertMismatch("time(11)", new BigDecimal("0.000000000001"), "time(11)");
        assertMismatch("timestamp(6) with time zone", Instant.MAX, "found +1000000000");
        assertMismatch("date", LocalDate.MAX, "date");
        assertMismatch("array(tinyint)", List.of(1, 1000), "found 1000");
        assertMismatch("row(\"a\" bigint)", List.of(1L, 2L), "1 field values");
        assertMismatch("map(bigint, bigint)", Collections.singletonMap(null, 1L), "found null");
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "1 values, one a column, found 2",
                () -> Rows.toBytes(RowLayout.of(RandomValues.columns(List.of("bigint"))), 1L, 2L));
    }

    /** The ends of all years, the last picoseconds before 1970, and Java's own classes. */
    @Test
    void timesOfAllDigitsComeBack() {
        assertComesBack("time(12)", new BigDecimal("86399.999999999999"));
        assertComesBack("time(10)", new BigDecimal("0.0000000001"));
        for (String seconds :
                List.of(
                        "-9223372036854.775808000000",
                        "9223372036854.775807999999",
                        "-0.000000000001",
                        "-1.000000000000",
                        "0.000000000000")) {
            assertComesBack("timestamp(12)", new BigDecimal(seconds));
        }
        assertComesBack(
                "timestamp(12) with time zone", new BigDecimal("2251799813685.247999999999"));
        assertComesBack(
                "timestamp(12) with time zone", new BigDecimal("-2251799813685.247000000000"));
        assertComesBack("wide_timestamp(9)", LocalDateTime.of(1, 1, 1, 0, 0, 0, 1));
        assertComesBack(
                "wide_timestamp(9)", LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_999_999));
        assertComesBack("wide_timestamp(7)", LocalDateTime.of(-290_000, 1, 1, 0, 0, 0, 100));
        assertComesBack("wide_timestamp(8) with time zone", Instant.ofEpochSecond(-1, 999_999_990));

        RowLayout layout =
                RowLayout.of(
                        RandomValues.columns(
                                List.of(
                                        "time(12)",
                                        "timestamp(12)",
                                        "timestamp(10) with time zone")));
        byte[] row =
                Rows.toBytes(
                        layout,
                        LocalTime.of(0, 0, 1, 5),
                        LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999),
                        Instant.ofEpochSecond(1, 1));
        assertThat(Rows.toObjects(new BinaryRow(layout).wrap(row)))
                .containsExactly(
                        new BigDecimal("1.000000005000"),
                        new BigDecimal("-0.000000001000"),
                        new BigDecimal("1.0000000010"));
    }

    @Test
    void goldenBytesOfTimes() {
        RowLayout layout =
                RowLayout.of(
                        RandomValues.columns(
                                List.of(
                                        "wide_timestamp(9)",
                                        "timestamp(12)",
                                        "time(12)",
                                        "timestamp(9)")));
        byte[] row =
                Rows.toBytes(
                        layout,
                        LocalDateTime.of(1970, 1, 1, 0, 0, 0, 1),
                        new BigDecimal("-0.000000000001"),
                        new BigDecimal("0.000000000002"),
                        LocalDateTime.of(1970, 1, 1, 0, 0, 0, 3));
        assertThat(HexFormat.of().formatHex(row))
                .isEqualTo(
                        "00"
                                + "00000000000000000000000000000001"
                                + "ffffffffffffffffffffffffffffffff"
                                + "0200000000000000"
                                + "0300000000000000");
    }

    private static void assertComesBack(String type, Object value) {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of(type)));
        byte[] row = Rows.toBytes(layout, value);
        layout.validate(row, 0, row.length);
        assertThat(Rows.toObjects(new BinaryRow(layout).wrap(row))).containsExactly(value);
    }

    @Test
    void questionMarksAndPairsAreText() {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of("varchar")));
        for (String text : List.of("?", "0123456?", "01234567?", "\uD83D\uDE00?", "????????????")) {
            BinaryRow row = new BinaryRow(layout).wrap(Rows.toBytes(layout, text));
            assertThat(row.stringAt(0)).isEqualTo(text);
        }
    }

    @Test
    void equalValuesAreEqualBytes() {
        RowLayout decimals =
                RowLayout.of(RandomValues.columns(List.of("decimal(10,3)", "char(5)", "double")));
        assertThat(Rows.toBytes(decimals, new BigDecimal("1E+2"), "a  ", 1.0f))
                .isEqualTo(Rows.toBytes(decimals, new BigDecimal("100.00000"), "a", 1.0));
    }

    private static void assertMismatch(String type, Object value, String message) {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of(type)));
        assertRefused(ErrorCode.TYPE_MISMATCH, message, () -> Rows.toBytes(layout, value));
    }

    private static void assertRefused(
            ErrorCode code,
            String message,
            org.assertj.core.api.ThrowableAssert.ThrowingCallable action) {
        assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private static void assertSame(List<@Nullable Object> actual, List<@Nullable Object> expected) {
        assertThat(RandomValues.comparable(actual)).isEqualTo(RandomValues.comparable(expected));
    }
}
