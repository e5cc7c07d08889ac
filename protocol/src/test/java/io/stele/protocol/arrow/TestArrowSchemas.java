package io.stele.protocol.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.flatbuffers.FlatBufferBuilder;
import io.stele.protocol.SteleException;
import io.stele.protocol.arrow.ArrowType.Form;
import io.stele.protocol.row.RandomValues;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.DataType;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.function.ToIntFunction;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.LargeUtf8;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.junit.jupiter.api.Test;

final class TestArrowSchemas {
    @Test
    void everyTypeComesBack() {
        List<ArrowField> fields = ArrowSchemas.fields(RandomValues.allColumns());
        assertThat(ArrowSchemas.fromMessage(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))))
                .isEqualTo(fields);
    }

    @Test
    void typesOfOtherSendersAreRead() {
        assertThat(
                        foreign(
                                        Type.Timestamp,
                                        b -> Timestamp.createTimestamp(b, TimeUnit.MILLISECOND, 0))
                                .type())
                .isEqualTo(DataType.parse("timestamp(3)"));
        assertThat(
                        foreign(
                                        Type.Timestamp,
                                        b ->
                                                Timestamp.createTimestamp(
                                                        b,
                                                        TimeUnit.SECOND,
                                                        b.createString("Europe/Berlin")))
                                .type())
                .isEqualTo(DataType.parse("timestamp(0) with time zone"));
        ArrowField time = foreign(Type.Time, b -> Time.createTime(b, TimeUnit.MILLISECOND, 32));
        assertThat(time.type()).isEqualTo(DataType.parse("time(3)"));
        assertThat(time.arrowType().form()).isEqualTo(Form.INT32);
        assertThat(time.arrowType().multiplier()).isEqualTo(1_000_000);
        ArrowField large =
                foreign(
                        Type.LargeUtf8,
                        b -> {
                            LargeUtf8.startLargeUtf8(b);
                            return LargeUtf8.endLargeUtf8(b);
                        });
        assertThat(large.type()).isEqualTo(DataType.parse("varchar"));
        assertThat(large.arrowType().largeOffsets()).isTrue();
        assertThat(large.id()).isZero();
    }

    @Test
    void typesThatCannotBeStoredAreNamed() {
        assertRefused("an unsigned integer", Type.Int, b -> Int.createInt(b, 32, false));
        assertRefused(
                "a date in milliseconds", Type.Date, b -> Date.createDate(b, DateUnit.MILLISECOND));
        assertRefused("Duration", Type.Duration, b -> Duration.createDuration(b, TimeUnit.SECOND));
        assertRefused(
                "fixed-size binary of 3 bytes",
                Type.FixedSizeBinary,
                b -> FixedSizeBinary.createFixedSizeBinary(b, 3));
        assertThatThrownBy(
                        () ->
                                decode(
                                        b ->
                                                field(
                                                        b,
                                                        Type.Int,
                                                        c -> Int.createInt(c, 64, true),
                                                        true,
                                                        "")))
                .hasMessageContaining("'f', found a dictionary-encoded field");
    }

    /** The type text refines the Arrow type, and is not believed where it contradicts it. */
    @Test
    void typeTextMustFitTheArrowType() {
        ToIntFunction<FlatBufferBuilder> micros =
                b -> Timestamp.createTimestamp(b, TimeUnit.MICROSECOND, 0);
        assertThat(decode(b -> field(b, Type.Timestamp, micros, false, "timestamp(0)")).type())
                .isEqualTo(DataType.parse("timestamp(0)"));
        assertThat(decode(b -> field(b, Type.Timestamp, micros, false, "timestamp(9)")).type())
                .isEqualTo(DataType.parse("timestamp(6)"));
        assertThat(decode(b -> field(b, Type.Timestamp, micros, false, "varchar")).type())
                .isEqualTo(DataType.parse("timestamp(6)"));
        assertThatThrownBy(
                        () -> decode(b -> field(b, Type.Timestamp, micros, false, "time travel")))
                .isInstanceOf(SteleException.class);
    }

    /**
     * Times that Arrow has no unit for are decimal seconds, and only the same decimals are they.
     */
    @Test
    void timesOfMoreDigitsAreDecimalSeconds() {
        for (String type :
                List.of("wide_timestamp(9)", "timestamp(12) with time zone", "time(10)")) {
            int precision = type.startsWith("time(") ? 17 : 38;
            int scale = type.startsWith("wide") ? 9 : 12;
            assertThat(
                            decode(
                                            b ->
                                                    field(
                                                            b,
                                                            Type.Decimal,
                                                            decimal(precision, scale),
                                                            false,
                                                            type))
                                    .type())
                    .isEqualTo(DataType.parse(type));
            assertThat(
                            decode(
                                            b ->
                                                    field(
                                                            b,
                                                            Type.Decimal,
                                                            decimal(precision, scale - 1),
                                                            false,
                                                            type))
                                    .type())
                    .isEqualTo(DataType.parse("decimal(" + precision + "," + (scale - 1) + ")"));
        }
        ToIntFunction<FlatBufferBuilder> nanos =
                b -> Timestamp.createTimestamp(b, TimeUnit.NANOSECOND, 0);
        assertThat(decode(b -> field(b, Type.Timestamp, nanos, false, "wide_timestamp(9)")).type())
                .isEqualTo(DataType.parse("timestamp(9)"));
    }

    private static ToIntFunction<FlatBufferBuilder> decimal(int precision, int scale) {
        return b -> Decimal.createDecimal(b, precision, scale, 128);
    }

    @Test
    void coarserUnitsAndWiderOffsetsAreConverted() {
        RowLayout layout =
                RowLayout.of(
                        RandomValues.columns(
                                List.of(
                                        "timestamp(6)",
                                        "timestamp(9)",
                                        "time(3)",
                                        "timestamp(3) with time zone",
                                        "varchar")));
        List<ArrowField> fields =
                List.of(
                        named("c1", "timestamp(3)", Form.INT64, 1_000, false),
                        named("c2", "timestamp(0)", Form.INT64, 1_000_000, false),
                        named("c3", "time(3)", Form.INT32, 1_000_000, false),
                        named("c4", "timestamp(9) with time zone", Form.INT64, 1, false),
                        named("c5", "varchar", Form.BYTES, 1, true));
        List<ArrowField> written =
                List.of(
                        named("c1", "bigint", Form.INT64, 1, false),
                        named("c2", "bigint", Form.INT64, 1, false),
                        named("c3", "integer", Form.INT32, 1, false),
                        named("c4", "bigint", Form.INT64, 1, false),
                        named("c5", "bigint", Form.INT64, 1, false));
        ArrowBatchEncoder encoder = new ArrowBatchEncoder(written);
        encoder.column(0).appendLong(-1);
        encoder.column(1).appendLong(1);
        encoder.column(2).appendLong(1);
        encoder.column(3).appendLong(1_000_000);
        encoder.column(4).appendLong(0);
        ArrowMessage message = encoder.finish();
        // The last column's buffers as those of large text: offsets 0, 2 and the bytes.
        ArrowColumn text =
                new ArrowColumn(
                        fields.get(4).arrowType(),
                        1,
                        0,
                        ByteBuffer.allocate(0),
                        ByteBuffer.allocate(16)
                                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                                .putLong(8, 2),
                        ByteBuffer.wrap(new byte[] {'h', 'i'}),
                        List.of());
        List<ArrowColumn> columns =
                new java.util.ArrayList<>(
                        new ArrowBatchDecoder(written)
                                .decode(message.header(), message.joinedBody())
                                .columns());
        for (int i = 0; i < 4; i++) {
            ArrowColumn column = columns.get(i);
            columns.set(
                    i,
                    new ArrowColumn(
                            fields.get(i).arrowType(),
                            1,
                            0,
                            column.validity(),
                            column.offsets(),
                            column.values(),
                            List.of()));
        }
        columns.set(4, text);
        assertThat(TestArrowBatch.objects(new ArrowBatch(fields, 1, columns), layout, 0))
                .containsExactly(
                        LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_000_000),
                        LocalDateTime.of(1970, 1, 1, 0, 0, 1),
                        LocalTime.of(0, 0, 0, 1_000_000),
                        Instant.ofEpochMilli(1),
                        "hi");
    }

    private static ArrowField named(
            String name, String type, Form form, long multiplier, boolean largeOffsets) {
        return new ArrowField(
                0,
                name,
                new ArrowType(form, DataType.parse(type), multiplier, largeOffsets, List.of()),
                true);
    }

    private static ArrowField foreign(byte typeId, ToIntFunction<FlatBufferBuilder> type) {
        return decode(b -> field(b, typeId, type, false, ""));
    }

    private static void assertRefused(
            String message, byte typeId, ToIntFunction<FlatBufferBuilder> type) {
        assertThatThrownBy(() -> foreign(typeId, type))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Arrow field 'f', found " + message);
    }

    private static int field(
            FlatBufferBuilder builder,
            byte typeId,
            ToIntFunction<FlatBufferBuilder> type,
            boolean dictionary,
            String text) {
        int metadata = 0;
        if (!text.isEmpty()) {
            int entry =
                    KeyValue.createKeyValue(
                            builder,
                            builder.createString("stele.type"),
                            builder.createString(text));
            metadata = Field.createCustomMetadataVector(builder, new int[] {entry});
        }
        int encoding = 0;
        if (dictionary) {
            int index = Int.createInt(builder, 32, true);
            encoding =
                    DictionaryEncoding.createDictionaryEncoding(
                            builder, 1, index, false, (short) 0);
        }
        int name = builder.createString("f");
        return Field.createField(
                builder, name, true, typeId, type.applyAsInt(builder), encoding, 0, metadata);
    }

    private static ArrowField decode(ToIntFunction<FlatBufferBuilder> field) {
        FlatBufferBuilder builder = new FlatBufferBuilder();
        int fields = Schema.createFieldsVector(builder, new int[] {field.applyAsInt(builder)});
        int schema = Schema.createSchema(builder, Endianness.Little, fields, 0, 0);
        Message.finishMessageBuffer(
                builder,
                Message.createMessage(
                        builder, MetadataVersion.V5, MessageHeader.Schema, schema, 0, 0));
        return ArrowSchemas.fromMessage(ByteBuffer.wrap(builder.sizedByteArray())).get(0);
    }
}
