package io.stele.paimon.write;

import static io.trino.spi.StandardErrorCode.CONSTRAINT_VIOLATION;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.BooleanType.BOOLEAN;
import static io.trino.spi.type.Chars.padSpaces;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.RealType.REAL;
import static io.trino.spi.type.SmallintType.SMALLINT;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;
import static io.trino.spi.type.TinyintType.TINYINT;
import static io.trino.spi.type.VarbinaryType.VARBINARY;

import io.airlift.slice.Slice;
import io.trino.spi.TrinoException;
import io.trino.spi.block.Block;
import io.trino.spi.block.SqlMap;
import io.trino.spi.block.SqlRow;
import io.trino.spi.type.CharType;
import io.trino.spi.type.DateTimeEncoding;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.RowType;
import io.trino.spi.type.TimeType;
import io.trino.spi.type.TimestampType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.VarcharType;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.BinaryType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.VarBinaryType;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of values in Trino's blocks to Paimon's values, for its writers; the reverse of
 * {@link io.stele.paimon.type.InternalRowBlocks}. Stateless.
 */
final class BlockValues {
    private BlockValues() {}

    /**
     * Converts one value; null stays null.
     *
     * @param column its name, for errors
     * @param target Paimon's type
     * @param type Trino's type of the same values
     * @throws TrinoException if the value is null and the type has no nulls, or the value is longer
     *     than the type allows
     */
    static @Nullable Object read(
            String column, DataType target, Type type, Block block, int position) {
        if (block.isNull(position)) {
            if (!target.isNullable()) {
                throw new TrinoException(
                        CONSTRAINT_VIOLATION,
                        "Expected a value of type %s, found NULL in column %s"
                                .formatted(target.asSQLString(), column));
            }
            return null;
        }
        return switch (target.getTypeRoot()) {
            case BOOLEAN -> BOOLEAN.getBoolean(block, position);
            case TINYINT -> TINYINT.getByte(block, position);
            case SMALLINT -> SMALLINT.getShort(block, position);
            case INTEGER, DATE -> INTEGER.getInt(block, position);
            case BIGINT -> BIGINT.getLong(block, position);
            case FLOAT -> REAL.getFloat(block, position);
            case DOUBLE -> DOUBLE.getDouble(block, position);
            case TIME_WITHOUT_TIME_ZONE -> time((TimeType) type, block, position);
            case CHAR -> character((CharType) type, block, position);
            case VARCHAR ->
                    BinaryString.fromBytes(
                            ((VarcharType) type).getSlice(block, position).getBytes());
            case BINARY, VARBINARY -> binary(column, target, block, position);
            case DECIMAL -> decimal((DecimalType) target, type, block, position);
            case TIMESTAMP_WITHOUT_TIME_ZONE -> timestamp((TimestampType) type, block, position);
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
                    instant((TimestampWithTimeZoneType) type, block, position);
            case ARRAY ->
                    array(
                            column,
                            ((ArrayType) target).getElementType(),
                            (io.trino.spi.type.ArrayType) type,
                            block,
                            position);
            case MAP ->
                    map(
                            column,
                            ((MapType) target).getKeyType(),
                            ((MapType) target).getValueType(),
                            (io.trino.spi.type.MapType) type,
                            block,
                            position);
            case MULTISET ->
                    map(
                            column,
                            ((MultisetType) target).getElementType(),
                            DataTypes.INT().notNull(),
                            (io.trino.spi.type.MapType) type,
                            block,
                            position);
            case ROW ->
                    row(
                            column,
                            (org.apache.paimon.types.RowType) target,
                            (RowType) type,
                            block,
                            position);
            case VARIANT, BLOB, VECTOR ->
                    throw new IllegalArgumentException(
                            "Expected a type that Trino has, found " + target);
        };
    }

    /** Paimon stores milliseconds; Trino's types of its columns have no more digits. */
    static int time(TimeType type, Block block, int position) {
        return (int) (type.getLong(block, position) / PICOSECONDS_PER_MILLISECOND);
    }

    /** Pads a text with spaces, since files store it in the type's full length. */
    private static BinaryString character(CharType type, Block block, int position) {
        Slice padded = padSpaces(type.getSlice(block, position), type.getLength());
        return BinaryString.fromBytes(padded.getBytes());
    }

    private static byte[] binary(String column, DataType target, Block block, int position) {
        byte[] bytes = VARBINARY.getSlice(block, position).getBytes();
        boolean fits =
                target instanceof BinaryType fixed
                        ? bytes.length == fixed.getLength()
                        : bytes.length <= ((VarBinaryType) target).getLength();
        if (!fits) {
            throw new TrinoException(
                    CONSTRAINT_VIOLATION,
                    "Expected a value of type %s, found one of %s bytes in column %s"
                            .formatted(target.asSQLString(), bytes.length, column));
        }
        return bytes;
    }

    private static Decimal decimal(DecimalType target, Type type, Block block, int position) {
        io.trino.spi.type.DecimalType decimal = (io.trino.spi.type.DecimalType) type;
        if (decimal.isShort()) {
            return Decimal.fromUnscaledLong(
                    decimal.getLong(block, position), target.getPrecision(), target.getScale());
        }
        Int128 unscaled = (Int128) decimal.getObject(block, position);
        return Decimal.fromBigDecimal(
                new BigDecimal(unscaled.toBigInteger(), decimal.getScale()),
                target.getPrecision(),
                target.getScale());
    }

    private static Timestamp timestamp(TimestampType type, Block block, int position) {
        if (type.isShort()) {
            return timestamp(type.getLong(block, position), 0);
        }
        LongTimestamp value = (LongTimestamp) type.getObject(block, position);
        return timestamp(value.getEpochMicros(), value.getPicosOfMicro());
    }

    private static Timestamp timestamp(long micros, int picosOfMicro) {
        int microsOfMilli = (int) Math.floorMod(micros, (long) MICROSECONDS_PER_MILLISECOND);
        return Timestamp.fromEpochMillis(
                Math.floorDiv(micros, (long) MICROSECONDS_PER_MILLISECOND),
                microsOfMilli * NANOSECONDS_PER_MICROSECOND
                        + picosOfMicro / PICOSECONDS_PER_NANOSECOND);
    }

    private static Timestamp instant(TimestampWithTimeZoneType type, Block block, int position) {
        if (type.isShort()) {
            return Timestamp.fromEpochMillis(
                    DateTimeEncoding.unpackMillisUtc(type.getLong(block, position)));
        }
        LongTimestampWithTimeZone value =
                (LongTimestampWithTimeZone) type.getObject(block, position);
        return Timestamp.fromEpochMillis(
                value.getEpochMillis(), value.getPicosOfMilli() / PICOSECONDS_PER_NANOSECOND);
    }

    private static GenericArray array(
            String column,
            DataType element,
            io.trino.spi.type.ArrayType type,
            Block block,
            int position) {
        Block elements = type.getObject(block, position);
        @Nullable Object[] values = new Object[elements.getPositionCount()];
        for (int i = 0; i < values.length; i++) {
            values[i] = read(column, element, type.getElementType(), elements, i);
        }
        return new GenericArray(values);
    }

    private static GenericMap map(
            String column,
            DataType key,
            DataType value,
            io.trino.spi.type.MapType type,
            Block block,
            int position) {
        SqlMap map = type.getObject(block, position);
        Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
        for (int i = 0; i < map.getSize(); i++) {
            Object found =
                    read(
                            column,
                            key,
                            type.getKeyType(),
                            map.getRawKeyBlock(),
                            map.getRawOffset() + i);
            entries.put(
                    found,
                    read(
                            column,
                            value,
                            type.getValueType(),
                            map.getRawValueBlock(),
                            map.getRawOffset() + i));
        }
        return new GenericMap(entries);
    }

    private static GenericRow row(
            String column,
            org.apache.paimon.types.RowType target,
            RowType type,
            Block block,
            int position) {
        SqlRow row = type.getObject(block, position);
        GenericRow values = new GenericRow(target.getFieldCount());
        for (int i = 0; i < target.getFieldCount(); i++) {
            values.setField(
                    i,
                    read(
                            column,
                            target.getTypeAt(i),
                            type.getFieldTypes().get(i),
                            row.getRawFieldBlock(i),
                            row.getRawIndex()));
        }
        return values;
    }
}
