package io.stele.connector.type;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.stele.protocol.row.BinaryValues;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.Optional;

/**
 * A converter of single values of domains and statistics between Trino's native form and the bytes
 * of {@link ValueCodec}. Stateless.
 */
public final class NativeValues {
    private NativeValues() {}

    /**
     * The bytes of a native value, not null, of an orderable type; {@link ValueBytes} encodes many
     * values.
     */
    public static byte[] encode(DataType stored, Type type, Object value) {
        return new ValueBytes(stored, type).encode(TypeUtils.writeNativeValue(type, value), 0);
    }

    /**
     * The native value of bytes; empty for types whose ranges Trino's statistics cannot express as
     * numbers.
     */
    public static Optional<Object> decode(DataType stored, byte[] encoded) {
        ValueCodec codec = ValueCodec.of(stored);
        return switch (stored.kind()) {
            case BOOLEAN -> Optional.of(codec.decodeBoolean(encoded));
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> Optional.of(codec.decodeLong(encoded));
            case REAL -> Optional.of((long) Float.floatToIntBits(codec.decodeFloat(encoded)));
            case DOUBLE -> Optional.of(codec.decodeDouble(encoded));
            case DECIMAL ->
                    Optional.of(
                            ((DecimalType) stored).isShort()
                                    ? codec.decodeLong(encoded)
                                    : Int128.valueOf(
                                            codec.decodeHigh(encoded), codec.decodeLow(encoded)));
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> {
                TimestampType timestamp = (TimestampType) stored;
                yield Optional.of(
                        timestamp.isWide()
                                ? new WideTimes(timestamp)
                                        .toNative(
                                                codec.decodeHigh(encoded), codec.decodeLow(encoded))
                                : time(timestamp, codec.decodeLong(encoded)));
            }
            case VARCHAR, CHAR, VARBINARY, TIME, UUID, JSON, ARRAY, MAP, ROW -> Optional.empty();
        };
    }

    /** The native value, not null, at a position of a row, of a type that is not nested. */
    public static Object at(BinaryValues row, int index) {
        DataType stored = row.layout(index).type();
        return switch (stored.kind()) {
            case BOOLEAN -> row.booleanAt(index);
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE -> row.longAt(index);
            case REAL -> (long) Float.floatToRawIntBits(row.floatAt(index));
            case DOUBLE -> row.doubleAt(index);
            case DECIMAL -> {
                if (((DecimalType) stored).isShort()) {
                    yield row.longAt(index);
                }
                yield Int128.valueOf(row.highAt(index), row.lowAt(index));
            }
            case VARCHAR, CHAR, VARBINARY, JSON -> Slices.wrappedBuffer(row.bytesAt(index));
            case TIME -> row.longAt(index) * picosPerUnit((TimeType) stored);
            case TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> {
                TimestampType timestamp = (TimestampType) stored;
                yield timestamp.isWide()
                        ? new WideTimes(timestamp).toNative(row.highAt(index), row.lowAt(index))
                        : time(timestamp, row.longAt(index));
            }
            case UUID -> {
                Slice uuid = Slices.allocate(2 * Long.BYTES);
                uuid.setLong(0, Long.reverseBytes(row.highAt(index)));
                uuid.setLong(Long.BYTES, Long.reverseBytes(row.lowAt(index)));
                yield uuid;
            }
            case ARRAY, MAP, ROW ->
                    throw new IllegalArgumentException("Expected a plain type, found " + stored);
        };
    }

    /** The number of picoseconds in one stored unit. */
    public static int picosPerUnit(TimeType type) {
        return type.isPicos() ? 1 : PICOSECONDS_PER_NANOSECOND;
    }

    private static Object time(TimestampType type, long value) {
        return type.withTimeZone() ? instant(type, value) : timestamp(type, value);
    }

    /** A timestamp stored in 64 bits as Trino's native value. */
    private static Object timestamp(TimestampType type, long value) {
        if (!type.isNanos()) {
            return value;
        }
        return new LongTimestamp(
                Math.floorDiv(value, NANOSECONDS_PER_MICROSECOND),
                Math.floorMod(value, NANOSECONDS_PER_MICROSECOND) * PICOSECONDS_PER_NANOSECOND);
    }

    /** An instant stored in 64 bits as Trino's native value, in UTC. */
    private static Object instant(TimestampType type, long value) {
        if (type.isNanos()) {
            return LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                    Math.floorDiv(value, NANOSECONDS_PER_MILLISECOND),
                    Math.floorMod(value, NANOSECONDS_PER_MILLISECOND) * PICOSECONDS_PER_NANOSECOND,
                    UTC_KEY);
        }
        long millis = Math.floorDiv(value, MICROSECONDS_PER_MILLISECOND);
        if (type.precision() <= 3) {
            return packDateTimeWithZone(millis, UTC_KEY);
        }
        return LongTimestampWithTimeZone.fromEpochMillisAndFraction(
                millis,
                Math.floorMod(value, MICROSECONDS_PER_MILLISECOND) * PICOSECONDS_PER_MICROSECOND,
                UTC_KEY);
    }
}
