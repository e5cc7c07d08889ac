package io.stele.protocol.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import io.stele.protocol.arrow.ArrowType.Form;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.RowType;
import io.stele.protocol.schema.TimestampType;
import java.util.List;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Map;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Struct_;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Utf8;

/** An encoder of the fields of an Arrow schema message as flatbuffers, children first. */
final class FieldEncoder {
    static final String ID_KEY = "stele.id";
    static final String TYPE_KEY = "stele.type";

    private FieldEncoder() {}

    /**
     * @param more additional metadata
     */
    static int encode(
            FlatBufferBuilder builder, ArrowField field, java.util.Map<String, String> more) {
        int[] entries = new int[2 + more.size()];
        entries[0] = keyValue(builder, ID_KEY, Integer.toString(field.id()));
        entries[1] = keyValue(builder, TYPE_KEY, field.type().text());
        int next = 2;
        for (java.util.Map.Entry<String, String> entry : more.entrySet()) {
            entries[next++] = keyValue(builder, entry.getKey(), entry.getValue());
        }
        int metadata = Field.createCustomMetadataVector(builder, entries);
        boolean isInMillis =
                field.arrowType().equals(ArrowType.inMillis(field.type()).orElse(null));
        ArrowType arrowType = isInMillis ? field.arrowType() : ArrowType.of(field.type());
        return field(builder, field.name(), field.nullable(), arrowType, metadata);
    }

    /**
     * Encodes a nested field with its type text, because for example timestamp(3) and timestamp(6)
     * are one Arrow type.
     */
    private static int child(
            FlatBufferBuilder builder, String name, boolean nullable, ArrowType type) {
        int metadata =
                Field.createCustomMetadataVector(
                        builder, new int[] {keyValue(builder, TYPE_KEY, type.type().text())});
        return field(builder, name, nullable, type, metadata);
    }

    private static int field(
            FlatBufferBuilder builder,
            String name,
            boolean nullable,
            ArrowType type,
            int metadata) {
        int children = Field.createChildrenVector(builder, children(builder, type));
        int nameOffset = builder.createString(name);
        int typeOffset = type(builder, type);
        return Field.createField(
                builder, nameOffset, nullable, typeId(type), typeOffset, 0, children, metadata);
    }

    private static int[] children(FlatBufferBuilder builder, ArrowType type) {
        List<ArrowType> children = type.children();
        return switch (type.form()) {
            case LIST -> new int[] {child(builder, "item", true, children.get(0))};
            case MAP -> new int[] {entries(builder, children.get(0), children.get(1))};
            case STRUCT -> structChildren(builder, (RowType) type.type(), children);
            default -> new int[0];
        };
    }

    private static int entries(FlatBufferBuilder builder, ArrowType key, ArrowType value) {
        int[] children = {child(builder, "key", false, key), child(builder, "value", true, value)};
        int childrenOffset = Field.createChildrenVector(builder, children);
        int name = builder.createString("entries");
        Struct_.startStruct_(builder);
        int type = Struct_.endStruct_(builder);
        return Field.createField(builder, name, false, Type.Struct_, type, 0, childrenOffset, 0);
    }

    private static int[] structChildren(
            FlatBufferBuilder builder, RowType row, List<ArrowType> children) {
        int[] offsets = new int[children.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] =
                    child(
                            builder,
                            row.fields().get(i).name().orElse("field" + i),
                            true,
                            children.get(i));
        }
        return offsets;
    }

    private static byte typeId(ArrowType type) {
        if (type.form() == Form.DECIMAL128) {
            return Type.Decimal;
        }
        return switch (type.type().kind()) {
            case BOOLEAN -> Type.Bool;
            case TINYINT, SMALLINT, INTEGER, BIGINT -> Type.Int;
            case REAL, DOUBLE -> Type.FloatingPoint;
            case DECIMAL -> Type.Decimal;
            case VARCHAR, CHAR, JSON -> Type.Utf8;
            case VARBINARY -> Type.Binary;
            case DATE -> Type.Date;
            case TIME -> Type.Time;
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> Type.Timestamp;
            case UUID -> Type.FixedSizeBinary;
            case ARRAY -> Type.List;
            case MAP -> Type.Map;
            case ROW -> Type.Struct_;
        };
    }

    private static int type(FlatBufferBuilder builder, ArrowType arrowType) {
        DataType type = arrowType.type();
        if (arrowType.form() == Form.DECIMAL128) {
            return decimal(builder, type);
        }
        return switch (type.kind()) {
            case BOOLEAN -> {
                Bool.startBool(builder);
                yield Bool.endBool(builder);
            }
            case TINYINT, SMALLINT, INTEGER, BIGINT ->
                    Int.createInt(builder, 8 * type.form().width(), true);
            case REAL -> FloatingPoint.createFloatingPoint(builder, Precision.SINGLE);
            case DOUBLE -> FloatingPoint.createFloatingPoint(builder, Precision.DOUBLE);
            case DECIMAL -> decimal(builder, type);
            case VARCHAR, CHAR, JSON -> {
                Utf8.startUtf8(builder);
                yield Utf8.endUtf8(builder);
            }
            case VARBINARY -> {
                Binary.startBinary(builder);
                yield Binary.endBinary(builder);
            }
            case DATE -> Date.createDate(builder, DateUnit.DAY);
            case TIME ->
                    arrowType.multiplier() == 1
                            ? Time.createTime(builder, TimeUnit.NANOSECOND, 64)
                            : Time.createTime(builder, TimeUnit.MILLISECOND, 32);
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE ->
                    timestamp(builder, (TimestampType) type, arrowType.multiplier());
            case UUID -> FixedSizeBinary.createFixedSizeBinary(builder, 16);
            case ARRAY -> {
                org.apache.arrow.flatbuf.List.startList(builder);
                yield org.apache.arrow.flatbuf.List.endList(builder);
            }
            case MAP -> Map.createMap(builder, false);
            case ROW -> {
                Struct_.startStruct_(builder);
                yield Struct_.endStruct_(builder);
            }
        };
    }

    private static int decimal(FlatBufferBuilder builder, DataType type) {
        DecimalType decimal = ArrowType.decimal(type).orElseThrow();
        return Decimal.createDecimal(builder, decimal.precision(), decimal.scale(), 128);
    }

    private static int timestamp(FlatBufferBuilder builder, TimestampType type, long multiplier) {
        int zone = type.withTimeZone() ? builder.createString("UTC") : 0;
        short fine = type.isNanos() ? TimeUnit.NANOSECOND : TimeUnit.MICROSECOND;
        short unit = multiplier == 1 ? fine : TimeUnit.MILLISECOND;
        return Timestamp.createTimestamp(builder, unit, zone);
    }

    private static int keyValue(FlatBufferBuilder builder, String key, String value) {
        return KeyValue.createKeyValue(
                builder, builder.createString(key), builder.createString(value));
    }
}
