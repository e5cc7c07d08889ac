package io.stele.paimon.type;

import static io.trino.spi.type.Chars.truncateToLengthAndTrimSpaces;
import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;
import static java.lang.Float.floatToRawIntBits;

import com.google.common.math.LongMath;
import io.airlift.slice.Slices;
import io.trino.spi.block.ArrayBlockBuilder;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.block.MapBlockBuilder;
import io.trino.spi.block.RowBlockBuilder;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.CharType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.List;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MultisetType;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of values from Paimon's readers to Trino's native values and blocks. Stateless.
 */
public final class InternalRowBlocks {
    private InternalRowBlocks() {}

    /**
     * Appends one value.
     *
     * @param type of Trino, from {@link PaimonTypes#toTrino}
     * @param value as Paimon's getters of {@code source} return it
     */
    public static void append(
            DataType source, Type type, @Nullable Object value, BlockBuilder target) {
        if (value == null) {
            target.appendNull();
            return;
        }
        switch (source.getTypeRoot()) {
            case ARRAY, VECTOR ->
                    appendArray(
                            elementType(source),
                            ((ArrayType) type).getElementType(),
                            (InternalArray) value,
                            (ArrayBlockBuilder) target);
            case MAP ->
                    appendMap(
                            ((org.apache.paimon.types.MapType) source).getKeyType(),
                            ((org.apache.paimon.types.MapType) source).getValueType(),
                            (MapType) type,
                            (InternalMap) value,
                            (MapBlockBuilder) target);
            case MULTISET ->
                    appendMap(
                            ((MultisetType) source).getElementType(),
                            DataTypes.INT(),
                            (MapType) type,
                            (InternalMap) value,
                            (MapBlockBuilder) target);
            case ROW ->
                    appendRow(
                            (org.apache.paimon.types.RowType) source,
                            (RowType) type,
                            (InternalRow) value,
                            (RowBlockBuilder) target);
            default -> TypeUtils.writeNativeValue(type, target, toNative(source, type, value));
        }
    }

    /**
     * The native value of Trino for a value of a type without elements or fields.
     *
     * @throws IllegalArgumentException for other types
     */
    public static Object toNative(DataType source, Type type, Object value) {
        return switch (source.getTypeRoot()) {
            case BOOLEAN -> value;
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> ((Number) value).longValue();
            case FLOAT -> (long) floatToRawIntBits((float) value);
            case DOUBLE -> value;
            case CHAR ->
                    truncateToLengthAndTrimSpaces(
                            Slices.wrappedBuffer(((BinaryString) value).toBytes()),
                            ((CharType) type).getLength());
            case VARCHAR -> Slices.wrappedBuffer(((BinaryString) value).toBytes());
            case BINARY, VARBINARY -> Slices.wrappedBuffer(((byte[]) value).clone());
            case DECIMAL -> decimal((DecimalType) source, (Decimal) value);
            case TIME_WITHOUT_TIME_ZONE -> (int) value * (long) PICOSECONDS_PER_MILLISECOND;
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp((TimestampType) type, (Timestamp) value);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    instant((TimestampWithTimeZoneType) type, (Timestamp) value);
            case ARRAY, MAP, MULTISET, ROW, VARIANT, BLOB, VECTOR ->
                    throw new IllegalArgumentException(
                            "Expected a type without elements, found " + source);
        };
    }

    private static Object decimal(DecimalType type, Decimal value) {
        java.math.BigDecimal exact = value.toBigDecimal().setScale(type.getScale());
        return type.getPrecision() <= 18
                ? (Object) exact.unscaledValue().longValueExact()
                : Int128.valueOf(exact.unscaledValue());
    }

    private static Object timestamp(TimestampType type, Timestamp value) {
        long micros =
                value.getMillisecond() * MICROSECONDS_PER_MILLISECOND
                        + value.getNanoOfMillisecond() / NANOSECONDS_PER_MICROSECOND;
        if (type.isShort()) {
            return micros - Math.floorMod(micros, LongMath.pow(10, 6 - type.getPrecision()));
        }
        int nanos = value.getNanoOfMillisecond() % NANOSECONDS_PER_MICROSECOND;
        nanos -= (int) (nanos % LongMath.pow(10, 9 - Math.min(9, type.getPrecision())));
        return new LongTimestamp(micros, nanos * PICOSECONDS_PER_NANOSECOND);
    }

    private static Object instant(TimestampWithTimeZoneType type, Timestamp value) {
        long millis = value.getMillisecond();
        if (type.isShort()) {
            return packDateTimeWithZone(
                    millis - Math.floorMod(millis, LongMath.pow(10, 3 - type.getPrecision())),
                    UTC_KEY);
        }
        int nanos = value.getNanoOfMillisecond();
        nanos -= (int) (nanos % LongMath.pow(10, 9 - Math.min(9, type.getPrecision())));
        return LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                millis, nanos * PICOSECONDS_PER_NANOSECOND, UTC_KEY);
    }

    private static DataType elementType(DataType array) {
        return array instanceof org.apache.paimon.types.ArrayType type
                ? type.getElementType()
                : ((org.apache.paimon.types.VectorType) array).getElementType();
    }

    private static void appendArray(
            DataType source, Type type, InternalArray array, ArrayBlockBuilder target) {
        InternalArray.ElementGetter getter = InternalArray.createElementGetter(source);
        target.buildEntry(
                elements -> {
                    for (int i = 0; i < array.size(); i++) {
                        append(source, type, getter.getElementOrNull(array, i), elements);
                    }
                });
    }

    private static void appendMap(
            DataType keySource,
            DataType valueSource,
            MapType type,
            InternalMap map,
            MapBlockBuilder target) {
        InternalArray.ElementGetter keys = InternalArray.createElementGetter(keySource);
        InternalArray.ElementGetter values = InternalArray.createElementGetter(valueSource);
        InternalArray keyArray = map.keyArray();
        InternalArray valueArray = map.valueArray();
        target.buildEntry(
                (keyTarget, valueTarget) -> {
                    for (int i = 0; i < map.size(); i++) {
                        append(
                                keySource,
                                type.getKeyType(),
                                keys.getElementOrNull(keyArray, i),
                                keyTarget);
                        append(
                                valueSource,
                                type.getValueType(),
                                values.getElementOrNull(valueArray, i),
                                valueTarget);
                    }
                });
    }

    private static void appendRow(
            org.apache.paimon.types.RowType source,
            RowType type,
            InternalRow row,
            RowBlockBuilder target) {
        List<Type> types = type.getFieldTypes();
        target.buildEntry(
                fields -> {
                    for (int i = 0; i < types.size(); i++) {
                        DataType field = source.getTypeAt(i);
                        append(
                                field,
                                types.get(i),
                                InternalRow.createFieldGetter(field, i).getFieldOrNull(row),
                                fields.get(i));
                    }
                });
    }
}
