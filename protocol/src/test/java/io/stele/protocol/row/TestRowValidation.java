package io.stele.protocol.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random damage to valid rows: each is refused with a named error, or is still the one encoding of
 * what it says.
 */
final class TestRowValidation {
    private static final List<ColumnSchema> COLUMNS = RandomValues.allColumns();
    private static final RowLayout LAYOUT = RowLayout.of(COLUMNS);

    /** More with {@code bin/stele test --long}. */
    private static final int ROWS = Boolean.getBoolean("test.long") ? 60_000 : 20_000;

    @Test
    void damagedRowsAreRefusedOrStillRows() {
        Random random = new Random(20_260_101);
        RandomValues values = new RandomValues(random);
        int refused = 0;
        int accepted = 0;
        for (int i = 0; i < ROWS; i++) {
            byte[] row = Rows.toBytes(LAYOUT, values.row(COLUMNS).toArray());
            byte[] damaged = damage(row, random);
            if (isAccepted(damaged)) {
                accepted++;
                readAll(damaged);
            } else {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(ROWS / 3);
        assertThat(accepted).isGreaterThan(ROWS / 60);
    }

    /**
     * The row lies at the end of its array and in the middle of others: reading outside would throw
     * or show.
     */
    @Test
    void everyTruncationIsRefused() {
        RandomValues values = new RandomValues(new Random(3));
        for (int i = 0; i < 20; i++) {
            byte[] row = Rows.toBytes(LAYOUT, values.row(COLUMNS).toArray());
            for (int length = 0; length < row.length; length++) {
                byte[] cut = Arrays.copyOf(row, length);
                assertThat(isAccepted(cut)).as("length %s of %s", length, row.length).isFalse();
            }
            assertThat(isAccepted(Arrays.copyOf(row, row.length + 1))).isFalse();
        }
    }

    @Test
    void randomBytesAreRefused() {
        Random random = new Random(4);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(600)];
            random.nextBytes(bytes);
            assertThat(isAccepted(bytes)).isFalse();
        }
    }

    /**
     * What passes validation without maps has one encoding: decoding and encoding again gives the
     * same bytes.
     */
    @Test
    void acceptedRowsAreCanonical() {
        List<ColumnSchema> columns =
                COLUMNS.stream().filter(column -> !column.type().text().contains("map")).toList();
        RowLayout layout = RowLayout.of(columns);
        Random random = new Random(99);
        RandomValues values = new RandomValues(random);
        int changed = 0;
        for (int i = 0; i < ROWS / 2; i++) {
            byte[] row = Rows.toBytes(layout, values.row(columns).toArray());
            byte[] damaged = damage(row, random);
            try {
                layout.validate(damaged, 0, damaged.length);
            } catch (SteleException e) {
                continue;
            }
            changed += Arrays.equals(row, damaged) ? 0 : 1;
            List<Object> objects =
                    new ArrayList<>(Rows.toObjects(new BinaryRow(layout).wrap(damaged)));
            assertThat(Rows.toBytes(layout, objects.toArray())).isEqualTo(damaged);
        }
        assertThat(changed).isGreaterThan(ROWS / 120);
    }

    @ParameterizedTest
    @CsvSource({
        "boolean,0002,CORRUPT_DATA",
        "boolean,0201,CORRUPT_DATA", // an unused null bit
        "boolean,0101,CORRUPT_DATA", // null with a value
        "'decimal(2,0)',006400000000000000,TYPE_MISMATCH",
        "'decimal(19,0)',007fffffffffffffffffffffffffffffff,TYPE_MISMATCH",
        "'decimal(19,0)',0080000000000000000000000000000000,TYPE_MISMATCH",
        "'time(9)',00004f91944e000000ff,CORRUPT_DATA",
        "'time(9)',000000000000000080,TYPE_MISMATCH",
        "'time(3)',000100000000000000,TYPE_MISMATCH",
        "'time(12)',000000000000000080,TYPE_MISMATCH",
        "'time(11)',000100000000000000,TYPE_MISMATCH",
        // A microsecond's last picosecond and one more, at both ends
        "'timestamp(12)',00000000000007a1200000000000000000,TYPE_MISMATCH",
        "'timestamp(12)',00fffffffffff85edfffffffffffffffff,TYPE_MISMATCH",
        "'wide_timestamp(7)',00ffffffffffffffffffffffffffffff9b,TYPE_MISMATCH",
        "'timestamp(11)',0000000000000000010000000000000000,TYPE_MISMATCH",
        "'wide_timestamp(9)',0080000000000000000000000000000000,TYPE_MISMATCH",
        "'timestamp(12) with time zone',00000000000001dcd65000000000000000,TYPE_MISMATCH",
        "'timestamp(0)',000100000000000000,TYPE_MISMATCH",
        "'timestamp(3) with time zone',00ffffffffffffff7f,TYPE_MISMATCH",
        "varchar,0001000000ff,TYPE_MISMATCH",
        "varchar,0002000000c080,TYPE_MISMATCH", // overlong
        "varchar,0003000000eda080,TYPE_MISMATCH", // surrogate
        "varchar,0004000000f4908080,TYPE_MISMATCH", // above U+10FFFF
        "varchar,0001000000c3,TYPE_MISMATCH", // cut
        "'varchar(1)',00020000006162,TYPE_MISMATCH",
        "'char(3)',00020000006120,CORRUPT_DATA",
        "varchar,0002000000,CORRUPT_DATA",
        "varchar,00ffffffff,CORRUPT_DATA",
        "array(bigint),000400000000000000ff,CORRUPT_DATA",
        "array(bigint),0004000000ffffffff,CORRUPT_DATA",
        "array(bigint),0004000000ffffff7f,CORRUPT_DATA",
        "'map(tinyint, tinyint)',000e0000000600000001000000010001000000000000,CORRUPT_DATA"
    })
    void eachKindOfDamageHasItsError(String type, String hex, ErrorCode code) {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of(type)));
        byte[] row = HexFormat.of().parseHex(hex);
        assertThatThrownBy(() -> layout.validate(row, 0, row.length))
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void nullInNotNullColumnIsRefused() {
        RowLayout nullable = RowLayout.of(COLUMNS);
        List<ColumnSchema> columns = new ArrayList<>(COLUMNS);
        columns.set(11, columns.get(11).notNull());
        byte[] row = Rows.toBytes(nullable, new Object[COLUMNS.size()]);
        assertThatThrownBy(() -> RowLayout.of(columns).validate(row, 0, row.length))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.NULL_KEY))
                .hasMessageContaining("'c12'");
    }

    @Test
    void structureCheckLeavesTextAlone() {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of("varchar(1)")));
        byte[] row = HexFormat.of().parseHex("0002000000ffff");
        layout.validateStructure(row, 0, row.length);
        assertThatThrownBy(() -> layout.validate(row, 0, row.length))
                .isInstanceOf(SteleException.class);
    }

    @Test
    void utf8AgreesWithTheDecoderOfJava() {
        Random random = new Random(8);
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) (random.nextInt(3) == 0 ? 'a' : 0x7F + random.nextInt(0x81));
            }
            String text = new String(bytes, StandardCharsets.UTF_8);
            boolean wellFormed = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes);
            assertThat(Utf8.countCodePoints(bytes, 0, bytes.length))
                    .isEqualTo(wellFormed ? text.codePointCount(0, text.length()) : -1);
        }
    }

    private static boolean isAccepted(byte[] row) {
        try {
            LAYOUT.validate(row, 0, row.length);
            return true;
        } catch (SteleException e) {
            assertThat(e.code())
                    .isIn(
                            ErrorCode.CORRUPT_DATA,
                            ErrorCode.TYPE_MISMATCH,
                            ErrorCode.NULL_KEY,
                            ErrorCode.ROW_TOO_LARGE);
            return false;
        }
    }

    private static void readAll(byte[] row) {
        assertThat(Rows.toObjects(new BinaryRow(LAYOUT).wrap(row))).hasSize(LAYOUT.count());
    }

    private static byte[] damage(byte[] row, Random random) {
        byte[] damaged = row.clone();
        switch (random.nextInt(4)) {
            case 0 -> damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            case 2 -> {
                for (int i = 0; i < 4; i++) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(3);
                }
            }
            default -> {
                int at = random.nextInt(damaged.length - 4);
                int extreme =
                        new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1, 0}
                                [random.nextInt(5)];
                GrowingBytes.INTS.set(damaged, at, extreme);
            }
        }
        return damaged;
    }
}
