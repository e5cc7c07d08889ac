package io.stele.protocol.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RandomValues;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ScalarType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TestArrowBatch {
    private static final List<ColumnSchema> COLUMNS = RandomValues.allColumns();
    private static final RowLayout LAYOUT = RowLayout.of(COLUMNS);
    private static final List<ArrowField> FIELDS = ArrowSchemas.fields(COLUMNS);

    @Test
    void rowsOfEveryTypeComeBack() {
        RandomValues values = new RandomValues(new Random(1));
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(FIELDS, LAYOUT);
        ArrowBatchDecoder decoder = new ArrowBatchDecoder(FIELDS);
        ArrowRows rows = new ArrowRows(FIELDS, LAYOUT);
        RowEncoder row = new RowEncoder(LAYOUT);
        for (int count : new int[] {0, 1, 2, 7, 8, 9, 64, 65, 1000, 3}) {
            List<byte[]> expected = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                byte[] bytes = Rows.toBytes(LAYOUT, values.row(COLUMNS).toArray());
                expected.add(bytes);
                encoder.append(new BinaryRow(LAYOUT).wrap(bytes));
            }
            assertThat(encoder.rowCount()).isEqualTo(count);
            ArrowMessage message = encoder.finish();
            assertThat(message.rowCount()).isEqualTo(count);
            assertThat(message.body()).allMatch(buffer -> buffer.remaining() % 8 == 0);
            ArrowBatch batch = decoder.decode(message.header(), message.joinedBody());
            assertThat(batch.rowCount()).isEqualTo(count);
            for (int i = 0; i < count; i++) {
                int length = rows.encode(batch, i, row);
                assertThat(java.util.Arrays.copyOf(row.array(), length)).isEqualTo(expected.get(i));
            }
        }
    }

    @Test
    void bodiesAtAnyOffsetAndOffHeap() {
        RandomValues values = new RandomValues(new Random(2));
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(FIELDS, LAYOUT);
        byte[] bytes = Rows.toBytes(LAYOUT, values.row(COLUMNS).toArray());
        encoder.append(new BinaryRow(LAYOUT).wrap(bytes));
        ArrowMessage message = encoder.finish();
        ByteBuffer body = message.joinedBody();
        ByteBuffer direct =
                ByteBuffer.allocateDirect(body.remaining() + 5).position(5).put(body).position(5);
        ByteBuffer header = ByteBuffer.allocateDirect(message.header().remaining() + 3).position(3);
        header.put(message.header().duplicate()).position(3);
        ArrowBatch batch = new ArrowBatchDecoder(FIELDS).decode(header, direct);
        RowEncoder row = new RowEncoder(LAYOUT);
        int length = new ArrowRows(FIELDS, LAYOUT).encode(batch, 0, row);
        assertThat(java.util.Arrays.copyOf(row.array(), length)).isEqualTo(bytes);
        assertThat(direct.position()).isEqualTo(5);
    }

    @Test
    void hiddenColumnsAndProjection() {
        RowLayout layout =
                RowLayout.of(RandomValues.columns(List.of("bigint", "varchar", "double")));
        List<ArrowField> fields =
                List.of(ArrowField.LSN, ArrowField.of(layout.columns().get(1)), ArrowField.ROW_ID);
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(fields, layout);
        BinaryRow row = new BinaryRow(layout).wrap(Rows.toBytes(layout, 1L, "x", 2.0));
        encoder.append(row, 100, 200);
        encoder.append(row, 101, 201);
        ArrowMessage message = encoder.finish();
        List<ArrowField> decoded =
                ArrowSchemas.fromMessage(ByteBuffer.wrap(ArrowSchemas.toMessage(fields)));
        assertThat(decoded).isEqualTo(fields);
        ArrowBatch batch =
                new ArrowBatchDecoder(decoded).decode(message.header(), message.joinedBody());
        assertThat(batch.column(0).longAt(1)).isEqualTo(101);
        assertThat(new String(batch.column(1).bytesAt(1), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("x");
        assertThat(batch.column(2).longAt(0)).isEqualTo(200);
        ArrowRows rows = new ArrowRows(decoded, layout);
        assertThat(rows.hasColumn(0)).isFalse();
        RowEncoder target = new RowEncoder(layout);
        int length = rows.encode(batch, 0, target);
        assertThat(Rows.toObjects(new BinaryRow(layout).wrap(target.array(), 0, length)))
                .containsExactly(null, "x", null);
    }

    @Test
    void columnsAreBuiltAndReadInBulk() {
        List<ArrowField> fields =
                ArrowSchemas.fields(RandomValues.columns(List.of("bigint", "integer", "varchar")));
        ArrowBatchEncoder encoder = new ArrowBatchEncoder(fields);
        encoder.column(0).appendLongs(new long[] {9, 1, 2, 3}, 1, 3);
        encoder.column(0).appendNull();
        encoder.column(0).appendLongs(new long[] {4}, 0, 1);
        encoder.column(1).appendInts(new int[] {-1, -2, -3, -4, -5}, 0, 5);
        for (String text : new String[] {"a", "", "bcd"}) {
            byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            encoder.column(2).appendBytes(bytes, 0, bytes.length);
        }
        assertThatThrownBy(encoder::finish).hasMessageContaining("5 values in column 2, found 3");
        encoder.column(2).appendNull();
        encoder.column(2).appendNull();
        ArrowMessage message = encoder.finish();
        ArrowBatch batch =
                new ArrowBatchDecoder(fields).decode(message.header(), message.joinedBody());
        long[] longs = new long[5];
        batch.column(0).readLongs(longs);
        assertThat(longs).containsExactly(1, 2, 3, 0, 4);
        boolean[] nulls = new boolean[5];
        batch.column(0).readNulls(nulls);
        assertThat(nulls).containsExactly(false, false, false, true, false);
        assertThat(batch.column(1).hasNulls()).isFalse();
        int[] ints = new int[5];
        batch.column(1).readInts(ints);
        assertThat(ints).containsExactly(-1, -2, -3, -4, -5);
        int[] offsets = new int[6];
        batch.column(2).readOffsets(offsets);
        assertThat(offsets).containsExactly(0, 1, 1, 4, 4, 4);
    }

    @Test
    void batchesWithoutColumnsCountRows() {
        ArrowMessage message = new ArrowBatchEncoder(List.of()).finish(12_345);
        assertThat(message.body()).isEmpty();
        assertThat(
                        new ArrowBatchDecoder(List.of())
                                .decode(message.header(), message.joinedBody())
                                .rowCount())
                .isEqualTo(12_345);
    }

    @Test
    void finishedBatchesAreNotTouchedByTheNext() {
        List<ArrowField> fields = ArrowSchemas.fields(RandomValues.columns(List.of("bigint")));
        ArrowBatchEncoder encoder = new ArrowBatchEncoder(fields);
        encoder.column(0).appendLong(1);
        ArrowMessage first = encoder.finish();
        encoder.column(0).appendLong(2);
        encoder.column(0).appendNull();
        encoder.reset();
        encoder.column(0).appendLong(3);
        ArrowMessage second = encoder.finish();
        ArrowBatchDecoder decoder = new ArrowBatchDecoder(fields);
        assertThat(decoder.decode(first.header(), first.joinedBody()).column(0).longAt(0))
                .isEqualTo(1);
        ArrowBatch batch = decoder.decode(second.header(), second.joinedBody());
        assertThat(batch.rowCount()).isEqualTo(1);
        assertThat(batch.column(0).longAt(0)).isEqualTo(3);
        assertThat(batch.column(0).hasNulls()).isFalse();
    }

    /**
     * Anyone may send a batch: damage is refused by name, or every value of every row can still be
     * read.
     */
    @Test
    void damagedBatchesAreRefusedOrReadable() {
        Random random = new Random(77);
        RandomValues values = new RandomValues(random);
        ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(FIELDS, LAYOUT);
        ArrowBatchDecoder decoder = new ArrowBatchDecoder(FIELDS);
        ArrowRows rows = new ArrowRows(FIELDS, LAYOUT);
        RowEncoder row = new RowEncoder(LAYOUT);
        int refused = 0;
        int read = 0;
        for (int round = 0; round < 300; round++) {
            for (int i = 0; i < 3; i++) {
                encoder.append(
                        new BinaryRow(LAYOUT)
                                .wrap(Rows.toBytes(LAYOUT, values.row(COLUMNS).toArray())));
            }
            ArrowMessage message = encoder.finish();
            byte[] header = new byte[message.header().remaining()];
            message.header().duplicate().get(header);
            byte[] body = message.joinedBody().array();
            for (int damage = 0; damage < 60; damage++) {
                byte[] badHeader = random.nextBoolean() ? damaged(header, random) : header;
                byte[] badBody = badHeader == header ? damaged(body, random) : body;
                try {
                    ArrowBatch batch =
                            decoder.decode(ByteBuffer.wrap(badHeader), ByteBuffer.wrap(badBody));
                    for (int i = 0; i < Math.min(10, batch.rowCount()); i++) {
                        int length = rows.encode(batch, i, row);
                        LAYOUT.validate(row.array(), 0, length);
                        read++;
                    }
                } catch (SteleException e) {
                    assertThat(e.code())
                            .isIn(
                                    ErrorCode.CORRUPT_DATA,
                                    ErrorCode.INVALID_ARGUMENT,
                                    ErrorCode.TYPE_MISMATCH,
                                    ErrorCode.ROW_TOO_LARGE);
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(2_000);
        assertThat(read).isGreaterThan(2_000);
    }

    @Test
    void randomBytesAreNoMessage() {
        Random random = new Random(78);
        ArrowBatchDecoder decoder = new ArrowBatchDecoder(FIELDS);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            assertThatThrownBy(() -> decoder.decode(ByteBuffer.wrap(bytes), ByteBuffer.allocate(0)))
                    .isInstanceOf(SteleException.class);
            assertThatThrownBy(() -> ArrowSchemas.fromMessage(ByteBuffer.wrap(bytes)))
                    .isInstanceOf(SteleException.class);
        }
    }

    @Test
    void mistakesOfTheSenderAreNamed() {
        RowLayout layout =
                RowLayout.of(RandomValues.columns(List.of("tinyint", "varchar", "timestamp(3)")));
        assertMismatch("bigint", "varchar", "Expected type bigint in column 'c1', found varchar");
        assertMismatch("real", "double", "found double");
        assertMismatch("decimal(10,2)", "decimal(10,3)", "found decimal(10,3)");
        assertMismatch("timestamp(3)", "timestamp(3) with time zone", "with time zone");
        assertMismatch("row(\"a\" bigint)", "row(\"a\" bigint, \"b\" bigint)", "found row");
        ArrowField unknown = new ArrowField(0, "nope", ArrowType.of(ScalarType.BIGINT), true);
        assertRefused(
                ErrorCode.COLUMN_NOT_FOUND,
                "'nope'",
                () -> new ArrowRows(List.of(unknown), layout));
        ArrowField first = new ArrowField(0, "C1", ArrowType.of(ScalarType.BIGINT), true);
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "'C1' again",
                () -> new ArrowRows(List.of(first, first), layout));
        ArrowBatchEncoder encoder = new ArrowBatchEncoder(List.of(first));
        encoder.column(0).appendLong(127);
        encoder.column(0).appendLong(128);
        ArrowMessage message = encoder.finish();
        ArrowBatch batch =
                new ArrowBatchDecoder(List.of(first))
                        .decode(message.header(), message.joinedBody());
        ArrowRows rows = new ArrowRows(List.of(first), layout);
        RowEncoder row = new RowEncoder(layout);
        assertThat(rows.encode(batch, 0, row)).isPositive();
        assertRefused(
                ErrorCode.TYPE_MISMATCH,
                "type tinyint in 'c1', found 128",
                () -> rows.encode(batch, 1, row));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                "found Schema",
                () ->
                        new ArrowBatchDecoder(List.of())
                                .decode(
                                        ByteBuffer.wrap(ArrowSchemas.toMessage(List.of())),
                                        ByteBuffer.allocate(0)));
    }

    /** Whoever writes may have any unit that loses nothing; the column decides what is kept. */
    @Test
    void timesOfOneUnitAreTakenAsAnother() {
        assertConverted(
                "timestamp(9)",
                LocalDateTime.of(1677, 9, 22, 0, 0, 0, 1),
                "wide_timestamp(9)",
                LocalDateTime.of(1677, 9, 22, 0, 0, 0, 1));
        assertConverted(
                "timestamp(3)",
                LocalDateTime.of(9999, 12, 31, 23, 59, 59, 999_000_000),
                "timestamp(12)",
                new BigDecimal("253402300799.999000000000"));
        assertConverted(
                "wide_timestamp(9)",
                LocalDateTime.of(2262, 4, 11, 23, 47, 16, 854_775_807),
                "timestamp(9)",
                LocalDateTime.of(2262, 4, 11, 23, 47, 16, 854_775_807));
        assertConverted(
                "time(9)", LocalTime.of(0, 0, 0, 1), "time(12)", new BigDecimal("0.000000001000"));
        assertConverted(
                "decimal(38,12)",
                new BigDecimal("-0.000000000001"),
                "timestamp(12)",
                new BigDecimal("-0.000000000001"));
        assertConverted(
                "decimal(17,12)",
                new BigDecimal("86399.999999999999"),
                "time(12)",
                new BigDecimal("86399.999999999999"));
        assertMismatch("timestamp(12)", "decimal(38,11)", "found decimal(38,11)");
        assertMismatch("timestamp(12)", "timestamp(12) with time zone", "with time zone");
        assertRefused(
                ErrorCode.TYPE_MISMATCH,
                "Expected a value of type timestamp(9) in column 'c1', found 9223372036.854775808 seconds",
                () ->
                        converted(
                                "wide_timestamp(9)",
                                LocalDateTime.of(2262, 4, 11, 23, 47, 16, 854_775_808),
                                "timestamp(9)"));
        assertRefused(
                ErrorCode.TYPE_MISMATCH,
                "found -0.000000000001 seconds",
                () ->
                        converted(
                                "timestamp(12)",
                                new BigDecimal("-0.000000000001"),
                                "wide_timestamp(9)"));
    }

    private static void assertConverted(
            String source, Object value, String target, Object expected) {
        assertThat(converted(source, value, target)).containsExactly(expected);
    }

    private static List<@Nullable Object> converted(String source, Object value, String target) {
        List<ColumnSchema> columns = RandomValues.columns(List.of(source));
        RowLayout layout = RowLayout.of(columns);
        List<ArrowField> fields = ArrowSchemas.fields(columns);
        ArrowBatchEncoder encoder = new ArrowBatchEncoder(fields);
        encoder.column(0).append(new BinaryRow(layout).wrap(Rows.toBytes(layout, value)), 0);
        ArrowMessage message = encoder.finish();
        ArrowBatch batch =
                new ArrowBatchDecoder(fields).decode(message.header(), message.joinedBody());
        return objects(batch, RowLayout.of(RandomValues.columns(List.of(target))), 0);
    }

    @Test
    void tooLargeBatchesAreRefused() {
        ArrowBatchEncoder encoder =
                new ArrowBatchEncoder(
                        ArrowSchemas.fields(RandomValues.columns(List.of("varbinary"))));
        byte[] large = new byte[16 << 20];
        for (int i = 0; i < 4; i++) {
            encoder.column(0).appendBytes(large, 0, large.length);
        }
        assertRefused(
                ErrorCode.ROW_TOO_LARGE,
                "at most 67108864 bytes",
                () -> encoder.column(0).appendBytes(large, 0, 1));
    }

    private static byte[] damaged(byte[] bytes, Random random) {
        byte[] damaged = bytes.clone();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            damaged[random.nextInt(damaged.length)] =
                    (byte) (random.nextInt(3) == 0 ? random.nextInt(4) : random.nextInt());
        }
        return random.nextInt(10) == 0
                ? java.util.Arrays.copyOf(damaged, random.nextInt(damaged.length))
                : damaged;
    }

    private static void assertMismatch(String target, String source, String message) {
        RowLayout layout = RowLayout.of(RandomValues.columns(List.of(target)));
        List<ArrowField> fields = ArrowSchemas.fields(RandomValues.columns(List.of(source)));
        assertRefused(ErrorCode.TYPE_MISMATCH, message, () -> new ArrowRows(fields, layout));
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

    static List<@Nullable Object> objects(ArrowBatch batch, RowLayout layout, int index) {
        RowEncoder row = new RowEncoder(layout);
        int length = new ArrowRows(batch.fields(), layout).encode(batch, index, row);
        return Rows.toObjects(new BinaryRow(layout).wrap(row.array(), 0, length));
    }
}
