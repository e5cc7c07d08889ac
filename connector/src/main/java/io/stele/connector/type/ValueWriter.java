package io.stele.connector.type;

import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;

import io.airlift.slice.Slice;
import io.stele.protocol.row.ArrayEncoder;
import io.stele.protocol.row.MapEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.ValueEncoder;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.trino.spi.block.Block;
import io.trino.spi.block.SqlMap;
import io.trino.spi.block.SqlRow;
import io.trino.spi.type.ArrayType;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.MapType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import java.util.List;

/**
 * A converter of one type's values from Trino's blocks into Stele's rows, for written rows and for
 * the bytes of lookup keys and predicates. Stateless.
 */
@FunctionalInterface
interface ValueWriter {
    /** Writes the value, not null, at a position. */
    void writeValue(Block block, int position, ValueEncoder target, int index);

    /** Writes the value or null. */
    default void write(Block block, int position, ValueEncoder target, int index) {
        if (block.isNull(position)) {
            target.setNull(index);
        } else {
            writeValue(block, position, target, index);
        }
    }

    /** The writer for a stored type whose form in SQL is {@code type}. */
    static ValueWriter of(DataType stored, Type type) {
        return switch (stored.kind()) {
            case BOOLEAN ->
                    (block, position, target, index) ->
                            target.setBoolean(
                                    index, BooleanType.BOOLEAN.getBoolean(block, position));
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE ->
                    (block, position, target, index) ->
                            target.setLong(index, type.getLong(block, position));
            case REAL ->
                    (block, position, target, index) ->
                            target.setFloat(index, RealType.REAL.getFloat(block, position));
            case DOUBLE ->
                    (block, position, target, index) ->
                            target.setDouble(index, DoubleType.DOUBLE.getDouble(block, position));
            case DECIMAL -> decimal(((DecimalType) stored).isShort(), type);
            case VARCHAR, CHAR, VARBINARY, JSON ->
                    (block, position, target, index) -> {
                        Slice slice = type.getSlice(block, position);
                        target.setBytes(
                                index, slice.byteArray(), slice.byteArrayOffset(), slice.length());
                    };
            case TIME -> time(NativeValues.picosPerUnit((TimeType) stored), type);
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> timestamp((TimestampType) stored, type);
            case UUID ->
                    (block, position, target, index) -> {
                        Slice slice = type.getSlice(block, position);
                        target.setInt128(
                                index,
                                Long.reverseBytes(slice.getLong(0)),
                                Long.reverseBytes(slice.getLong(Long.BYTES)));
                    };
            case ARRAY ->
                    array(
                            of(
                                    ((io.stele.protocol.schema.ArrayType) stored).element(),
                                    ((ArrayType) type).getElementType()),
                            (ArrayType) type);
            case MAP -> map((io.stele.protocol.schema.MapType) stored, (MapType) type);
            case ROW -> row((io.stele.protocol.schema.RowType) stored, (RowType) type);
        };
    }

    private static ValueWriter decimal(boolean isShort, Type type) {
        if (isShort) {
            return (block, position, target, index) ->
                    target.setLong(index, type.getLong(block, position));
        }
        return (block, position, target, index) -> {
            Int128 value = (Int128) type.getObject(block, position);
            target.setInt128(index, value.getHigh(), value.getLow());
        };
    }

    private static ValueWriter time(int picosPerUnit, Type type) {
        return (block, position, target, index) ->
                target.setLong(index, type.getLong(block, position) / picosPerUnit);
    }

    private static ValueWriter timestamp(TimestampType stored, Type type) {
        if (stored.isWide()) {
            WideTimes times = new WideTimes(stored);
            return (block, position, target, index) -> {
                Int128 value = times.toStored(type.getObject(block, position));
                target.setInt128(index, value.getHigh(), value.getLow());
            };
        }
        if (stored.withTimeZone()) {
            return instant(stored, type);
        }
        if (!stored.isNanos()) {
            return (block, position, target, index) ->
                    target.setLong(index, type.getLong(block, position));
        }
        return (block, position, target, index) -> {
            LongTimestamp value = (LongTimestamp) type.getObject(block, position);
            target.setLong(
                    index,
                    TimeBlocks.nanos(
                            value.getEpochMicros(),
                            NANOSECONDS_PER_MICROSECOND,
                            value.getPicosOfMicro() / PICOSECONDS_PER_NANOSECOND));
        };
    }

    private static ValueWriter instant(TimestampType stored, Type type) {
        if (((TimestampWithTimeZoneType) type).isShort()) {
            return (block, position, target, index) ->
                    target.setLong(
                            index,
                            unpackMillisUtc(type.getLong(block, position))
                                    * MICROSECONDS_PER_MILLISECOND);
        }
        if (!stored.isNanos()) {
            return (block, position, target, index) -> {
                LongTimestampWithTimeZone value =
                        (LongTimestampWithTimeZone) type.getObject(block, position);
                target.setLong(
                        index,
                        value.getEpochMillis() * MICROSECONDS_PER_MILLISECOND
                                + value.getPicosOfMilli() / PICOSECONDS_PER_MICROSECOND);
            };
        }
        return (block, position, target, index) -> {
            LongTimestampWithTimeZone value =
                    (LongTimestampWithTimeZone) type.getObject(block, position);
            target.setLong(
                    index,
                    TimeBlocks.nanos(
                            value.getEpochMillis(),
                            NANOSECONDS_PER_MILLISECOND,
                            value.getPicosOfMilli() / PICOSECONDS_PER_NANOSECOND));
        };
    }

    private static ValueWriter array(ValueWriter element, ArrayType type) {
        return (block, position, target, index) -> {
            Block elements = type.getObject(block, position);
            int count = elements.getPositionCount();
            ArrayEncoder array = target.beginArray(index, count);
            for (int i = 0; i < count; i++) {
                element.write(elements, i, array, i);
            }
            array.end();
        };
    }

    private static ValueWriter map(io.stele.protocol.schema.MapType stored, MapType type) {
        ValueWriter key = of(stored.key(), type.getKeyType());
        ValueWriter value = of(stored.value(), type.getValueType());
        return (block, position, target, index) -> {
            SqlMap entries = type.getObject(block, position);
            int count = entries.getSize();
            int offset = entries.getRawOffset();
            MapEncoder map = target.beginMap(index, count);
            ArrayEncoder keys = map.beginKeys();
            for (int i = 0; i < count; i++) {
                key.write(entries.getRawKeyBlock(), offset + i, keys, i);
            }
            keys.end();
            ArrayEncoder values = map.beginValues();
            for (int i = 0; i < count; i++) {
                value.write(entries.getRawValueBlock(), offset + i, values, i);
            }
            values.end();
            map.end();
        };
    }

    private static ValueWriter row(io.stele.protocol.schema.RowType stored, RowType type) {
        List<Type> fieldTypes = type.getFieldTypes();
        ValueWriter[] fields = new ValueWriter[fieldTypes.size()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = of(stored.fields().get(i).type(), fieldTypes.get(i));
        }
        return (block, position, target, index) -> {
            SqlRow value = type.getObject(block, position);
            RowEncoder row = target.beginRow(index);
            for (int i = 0; i < fields.length; i++) {
                fields[i].write(value.getRawFieldBlock(i), value.getRawIndex(), row, i);
            }
            row.end();
        };
    }
}
