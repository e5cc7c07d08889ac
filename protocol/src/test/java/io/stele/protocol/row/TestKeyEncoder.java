package io.stele.protocol.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TestKeyEncoder {
    private static TableSchema schema(
            List<ColumnSchema> columns, List<Integer> primaryKey, List<Integer> distribution) {
        return TableSchema.builder("s", "t")
                .columns(columns)
                .primaryKey(primaryKey)
                .distributionKey(distribution)
                .orientation(Orientation.ROW)
                .shardCount(8)
                .build();
    }

    private static TableSchema keyed(
            List<Integer> primaryKey, List<Integer> distribution, String... types) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (ColumnSchema column : RandomValues.columns(List.of(types))) {
            columns.add(primaryKey.contains(column.id()) ? column.notNull() : column);
        }
        return schema(columns, primaryKey, distribution);
    }

    @Test
    void orderOfKeysIsOrderOfColumns() {
        Random random = new Random(11);
        RandomValues values = new RandomValues(random);
        for (int round = 0; round < 300; round++) {
            String[] types = new String[1 + random.nextInt(4)];
            List<Integer> key = new ArrayList<>();
            for (int i = 0; i < types.length; i++) {
                types[i] =
                        RandomValues.ORDERABLE_TYPES.get(
                                random.nextInt(RandomValues.ORDERABLE_TYPES.size()));
                key.add(i + 1);
            }
            Collections.shuffle(key, random);
            TableSchema schema = keyed(key, List.of(), types);
            RowLayout layout = RowLayout.of(schema.columns());
            KeyEncoder encoder = KeyEncoder.forPrimaryKey(schema);
            KeyEncoder withNulls = KeyEncoder.forColumns(schema, key);
            for (int i = 0; i < 60; i++) {
                List<@Nullable Object> left = values.row(schema.columns());
                List<@Nullable Object> right =
                        random.nextInt(3) == 0 ? left : values.row(schema.columns());
                if (random.nextBoolean()) {
                    right = new ArrayList<>(right);
                    right.set(key.get(0) - 1, left.get(key.get(0) - 1));
                }
                int expected = Integer.signum(compare(schema, key, left, right));
                BinaryRow leftRow =
                        new BinaryRow(layout).wrap(Rows.toBytes(layout, left.toArray()));
                BinaryRow rightRow =
                        new BinaryRow(layout).wrap(Rows.toBytes(layout, right.toArray()));
                byte[] leftKey = encoder.encode(leftRow);
                byte[] rightKey = encoder.encode(rightRow);
                assertThat(Integer.signum(Arrays.compareUnsigned(leftKey, rightKey)))
                        .as("%s and %s", left, right)
                        .isEqualTo(expected);
                assertThat(
                                Integer.signum(
                                        Arrays.compareUnsigned(
                                                withNulls.encode(leftRow),
                                                withNulls.encode(rightRow))))
                        .isEqualTo(expected);
                assertKeyComesBack(schema, encoder, left, leftKey);
            }
        }
    }

    private static void assertKeyComesBack(
            TableSchema schema, KeyEncoder encoder, List<@Nullable Object> row, byte[] key) {
        List<@Nullable Object> expected = new ArrayList<>();
        for (int columnId : schema.primaryKey()) {
            Object value = row.get(schema.indexOf(columnId));
            expected.add(value == null ? null : ValueOrder.canonical(value));
        }
        assertThat(RandomValues.comparable(encoder.decode(key)))
                .isEqualTo(RandomValues.comparable(expected));
        assertThat(encoder.encodeObjects(expected)).isEqualTo(key);
        encoder.validate(key, 0, key.length);
        for (int parts = 0; parts < expected.size(); parts++) {
            byte[] prefix = encoder.encodeObjects(expected.subList(0, parts));
            assertThat(Arrays.copyOf(key, prefix.length)).isEqualTo(prefix);
            assertThatThrownBy(() -> encoder.validate(prefix, 0, prefix.length))
                    .isInstanceOf(SteleException.class);
        }
    }

    private static int compare(
            TableSchema schema,
            List<Integer> key,
            List<@Nullable Object> left,
            List<@Nullable Object> right) {
        for (int columnId : key) {
            int index = schema.indexOf(columnId);
            Object leftValue = left.get(index);
            Object rightValue = right.get(index);
            if (leftValue == null || rightValue == null) {
                throw new AssertionError("key columns are not null");
            }
            int order =
                    ValueOrder.compare(schema.columns().get(index).type(), leftValue, rightValue);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    @Test
    void nullSortsLast() {
        TableSchema schema = keyed(List.of(), List.of(1, 2), "varchar", "bigint");
        KeyEncoder encoder = KeyEncoder.forDistribution(schema);
        List<byte[]> keys = new ArrayList<>();
        keys.add(encoder.encodeObjects(Arrays.asList("", Long.MIN_VALUE)));
        keys.add(encoder.encodeObjects(Arrays.asList("", null)));
        keys.add(encoder.encodeObjects(Arrays.asList("\uDBFF\uDFFF", 0L)));
        keys.add(encoder.encodeObjects(Arrays.asList(null, 0L)));
        keys.add(encoder.encodeObjects(Arrays.asList(null, null)));
        assertThat(keys).isSortedAccordingTo(Arrays::compareUnsigned);
        assertThat(encoder.decode(keys.get(3))).containsExactly(null, 0L);
        assertThat(encoder.split(keys.get(1)).get(1)).isEmpty();
    }

    /** Keys on disk and on the wire: a change here breaks every file. */
    @Test
    void goldenBytes() {
        TableSchema schema = keyed(List.of(2, 1, 3), List.of(), "bigint", "varchar", "char(3)");
        byte[] key = KeyEncoder.forPrimaryKey(schema).encodeObjects(List.of("a\0b", -1L, "x"));
        assertThat(HexFormat.of().formatHex(key))
                .isEqualTo("6100ff620000" + "7fffffffffffffff" + "7820200000");
        byte[] sortKey =
                KeyEncoder.forColumns(
                                keyed(List.of(), List.of(), "bigint", "varchar"), List.of(1, 2))
                        .encodeObjects(Arrays.asList(null, "é"));
        assertThat(HexFormat.of().formatHex(sortKey)).isEqualTo("02" + "01c3a90000");
        assertThat(HexFormat.of().formatHex(KeyEncoder.rowIdKey(1))).isEqualTo("8000000000000001");
        assertThat(KeyEncoder.rowId(KeyEncoder.rowIdKey(-77), 0, 8)).isEqualTo(-77);
    }

    @Test
    void nullAndOversizedKeysAreRefusedByName() {
        TableSchema schema = keyed(List.of(1), List.of(), "varchar", "bigint");
        KeyEncoder encoder = KeyEncoder.forPrimaryKey(schema);
        RowLayout nullable = RowLayout.of(RandomValues.columns(List.of("varchar", "bigint")));
        BinaryRow row = new BinaryRow(nullable).wrap(Rows.toBytes(nullable, null, 1L));
        assertRefused(ErrorCode.NULL_KEY, "key column 'c1', found null", () -> encoder.encode(row));
        assertRefused(
                ErrorCode.NULL_KEY,
                "'c1'",
                () -> encoder.encodeObjects(Collections.singletonList(null)));
        int most = KeyEncoder.MAX_KEY_BYTES - 2;
        assertThat(encoder.encodeObjects(List.of("x".repeat(most))))
                .hasSize(KeyEncoder.MAX_KEY_BYTES);
        assertRefused(
                ErrorCode.KEY_TOO_LARGE,
                "at most 65536 bytes",
                () -> encoder.encodeObjects(List.of("x".repeat(most + 1))));
        byte[] large = new byte[KeyEncoder.MAX_KEY_BYTES + 1];
        assertRefused(
                ErrorCode.KEY_TOO_LARGE,
                "found 65537",
                () -> encoder.validate(large, 0, large.length));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "at most 1 key values",
                () -> encoder.encodeObjects(List.of("a", 1L)));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "s.t, which has none",
                () -> KeyEncoder.forPrimaryKey(keyed(List.of(), List.of(), "bigint")));
    }

    @Test
    void damagedKeysAreRefusedOrKeys() {
        TableSchema schema = keyed(List.of(1, 2, 3), List.of(), "varchar", "integer", "varbinary");
        KeyEncoder encoder = KeyEncoder.forColumns(schema, List.of(1, 2, 3));
        Random random = new Random(6);
        RandomValues values = new RandomValues(random);
        RowLayout layout = RowLayout.of(schema.columns());
        int accepted = 0;
        for (int i = 0; i < 50_000; i++) {
            byte[] key =
                    encoder.encode(
                            new BinaryRow(layout)
                                    .wrap(
                                            Rows.toBytes(
                                                    layout,
                                                    values.row(schema.columns()).toArray())));
            int length = random.nextInt(3) == 0 ? random.nextInt(key.length + 1) : key.length;
            byte[] damaged = Arrays.copyOf(key, length);
            if (length > 0) {
                damaged[random.nextInt(length)] = (byte) (random.nextInt(4) - 1);
            }
            try {
                encoder.validate(damaged, 0, length);
            } catch (SteleException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA);
                continue;
            }
            accepted++;
            assertThat(encoder.split(damaged)).hasSize(3);
        }
        assertThat(accepted).isBetween(1_000, 45_000);
    }

    @Test
    void keysAndRowsAreRoutedAlike() {
        Random random = new Random(12);
        RandomValues values = new RandomValues(random);
        TableSchema byKey = keyed(List.of(3, 1), List.of(), "varchar", "double", "bigint", "uuid");
        TableSchema byPart =
                keyed(List.of(3, 1, 4), List.of(4, 1), "varchar", "double", "bigint", "uuid");
        for (TableSchema schema : List.of(byKey, byPart)) {
            RowRouter router = RowRouter.of(schema);
            RowRouter copy = router.copy();
            RowLayout layout = RowLayout.of(schema.columns());
            for (int i = 0; i < 2_000; i++) {
                BinaryRow row =
                        new BinaryRow(layout)
                                .wrap(Rows.toBytes(layout, values.row(schema.columns()).toArray()));
                byte[] key = KeyEncoder.forPrimaryKey(schema).encode(row);
                int shard =
                        ShardRouter.shard(schema, KeyEncoder.forDistribution(schema).encode(row));
                assertThat(router.shardOfRow(row)).isEqualTo(shard);
                assertThat(router.shardOfKey(key)).isEqualTo(shard);
                assertThat(copy.shardOfRow(row)).isEqualTo(shard);
                assertThat(copy.shardOfKey(key)).isEqualTo(shard);
            }
        }
        TableSchema appendOnly = keyed(List.of(), List.of(2), "varchar", "double");
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "primary key",
                () -> RowRouter.of(appendOnly).shardOfKey(KeyEncoder.rowIdKey(1)));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "distribution key",
                () -> RowRouter.of(keyed(List.of(), List.of(), "bigint")));
    }

    /** Zero and minus zero are one key, or an upsert would make two rows that are equal. */
    @Test
    void equalNumbersAreOneKey() {
        KeyEncoder encoder = KeyEncoder.forPrimaryKey(keyed(List.of(1), List.of(), "double"));
        assertThat(encoder.encodeObjects(List.of(-0.0)))
                .isEqualTo(encoder.encodeObjects(List.of(0.0)));
        assertThat(encoder.encodeObjects(List.of(Double.longBitsToDouble(0xFFF8_0000_0000_0001L))))
                .isEqualTo(encoder.encodeObjects(List.of(Double.NaN)));
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
}
