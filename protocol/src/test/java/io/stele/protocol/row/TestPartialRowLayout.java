package io.stele.protocol.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TestPartialRowLayout {
    private final TableSchema schema =
            TableSchema.builder("s", "t")
                    .columns(
                            List.of(
                                    new ColumnSchema(10, "name", DataType.parse("varchar")),
                                    new ColumnSchema(11, "id", DataType.parse("bigint")).notNull(),
                                    new ColumnSchema(12, "tags", DataType.parse("array(varchar)")),
                                    new ColumnSchema(13, "small", DataType.parse("smallint")),
                                    new ColumnSchema(14, "must", DataType.parse("decimal(30,2)"))
                                            .notNull(),
                                    new ColumnSchema(15, "region", DataType.parse("char(4)"))
                                            .notNull()))
                    .primaryKey(List.of(15, 11))
                    .orientation(Orientation.ROW)
                    .build();
    private final RowLayout whole = RowLayout.of(schema.columns());
    private final java.math.BigDecimal must = new java.math.BigDecimal("1.50");

    @Test
    void givenColumnsReplaceAndOthersStay() {
        PartialRowLayout partial = PartialRowLayout.of(schema, List.of(12, 15, 11));
        byte[] given = encode(partial, 7L, List.of("a", "b"), "eu");
        assertThat(given[0]).isEqualTo((byte) 0b100110);
        partial.validate(given, 0, given.length);
        byte[] old = Rows.toBytes(whole, "old", 7L, null, (short) 3, must, "eu");
        assertThat(merged(partial, old, given))
                .containsExactly("old", 7L, List.of("a", "b"), (short) 3, must, "eu");
        byte[] without = encode(partial, 7L, null, "eu");
        byte[] full = Rows.toBytes(whole, "old", 7L, List.of("x"), (short) 3, must, "eu");
        assertThat(merged(partial, full, without))
                .containsExactly("old", 7L, null, (short) 3, must, "eu");
    }

    @Test
    void theKeyIsThatOfTheWholeRow() {
        PartialRowLayout partial = PartialRowLayout.of(schema, List.of(11, 15));
        byte[] given = encode(partial, 7L, "eu");
        BinaryRow row =
                new BinaryRow(partial.layout())
                        .wrap(given, partial.headBytes(), given.length - partial.headBytes());
        byte[] old = Rows.toBytes(whole, "old", 7L, null, null, must, "eu");
        assertThat(partial.keys().encode(row))
                .isEqualTo(KeyEncoder.forPrimaryKey(schema).encode(new BinaryRow(whole).wrap(old)));
    }

    @Test
    void withoutAnOldRowTheOthersAreNullWhereTheyMayBe() {
        PartialRowLayout partial = PartialRowLayout.of(schema, List.of(11, 15, 14));
        byte[] given = encode(partial, 7L, must, "eu");
        assertThat(merged(partial, null, given)).containsExactly(null, 7L, null, null, must, "eu");
        PartialRowLayout less = PartialRowLayout.of(schema, List.of(11, 15));
        byte[] tooLittle = encode(less, 7L, "eu");
        assertFails(
                () -> merged(less, null, tooLittle),
                ErrorCode.NULL_KEY,
                "'must'",
                "which the update does not give");
    }

    @Test
    void theLayoutIsReadBackFromTheRow() {
        PartialRowLayout partial = PartialRowLayout.of(schema, List.of(11, 15, 10));
        byte[] given = encode(partial, "n", 7L, "eu");
        PartialRowLayout read = PartialRowLayout.read(schema, given, 0, given.length);
        assertThat(read.layout().columns()).isEqualTo(partial.layout().columns());
        assertThat(read.matches(given, 0, given.length)).isTrue();
        assertThat(read.has(0)).isTrue();
        assertThat(read.has(2)).isFalse();
    }

    @Test
    void damageIsRefused() {
        PartialRowLayout partial = PartialRowLayout.of(schema, List.of(11, 15));
        byte[] given = encode(partial, 7L, "eu");
        assertFails(
                () -> PartialRowLayout.read(schema, given, 0, 0),
                ErrorCode.CORRUPT_DATA,
                "at least 1 bytes, found 0");
        byte[] unused = given.clone();
        unused[0] |= (byte) 0x80;
        assertFails(
                () -> PartialRowLayout.read(schema, unused, 0, unused.length),
                ErrorCode.CORRUPT_DATA,
                "unused bits");
        byte[] keyless = given.clone();
        keyless[0] = 1;
        assertFails(
                () -> PartialRowLayout.read(schema, keyless, 0, keyless.length),
                ErrorCode.NULL_KEY,
                "without column 'region'");
        assertFails(
                () -> partial.validate(given, 0, given.length - 1),
                ErrorCode.CORRUPT_DATA,
                "xpected");
        assertFails(
                () -> PartialRowLayout.of(schema, List.of(11, 15, 15)),
                ErrorCode.INVALID_ARGUMENT,
                "'region' again");
        assertFails(
                () -> PartialRowLayout.of(schema, List.of(11, 15, 99)),
                ErrorCode.COLUMN_NOT_FOUND,
                "99");
    }

    private static byte[] encode(PartialRowLayout partial, @Nullable Object... values) {
        byte[] row = Rows.toBytes(partial.layout(), values);
        byte[] bytes = new byte[partial.headBytes() + row.length];
        System.arraycopy(row, 0, bytes, partial.writeHead(bytes, 0), row.length);
        return bytes;
    }

    private List<@Nullable Object> merged(
            PartialRowLayout partial, byte @Nullable [] old, byte[] given) {
        RowEncoder target = new RowEncoder(whole);
        BinaryRow oldRow = old == null ? null : new BinaryRow(whole).wrap(old);
        BinaryRow row =
                new BinaryRow(partial.layout())
                        .wrap(given, partial.headBytes(), given.length - partial.headBytes());
        int length = partial.merge(oldRow, row, target);
        whole.validate(target.array(), 0, length);
        return new ArrayList<>(
                Rows.toObjects(new BinaryRow(whole).wrap(target.array(), 0, length)));
    }

    private static void assertFails(ThrowingCallable call, ErrorCode code, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class, refused -> assertThat(refused.code()).isEqualTo(code))
                .hasMessageContainingAll(parts);
    }
}
