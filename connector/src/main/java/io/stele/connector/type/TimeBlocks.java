package io.stele.connector.type;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.MICROSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.NANOSECONDS_PER_MILLISECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_MICROSECOND;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;
import static java.lang.Math.floorDiv;
import static java.lang.Math.floorMod;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.trino.spi.block.Block;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.TimestampWithTimeZoneType;
import java.util.Optional;

/**
 * A converter of timestamps between Stele's 64-bit form, whole micro- or nanoseconds since 1970,
 * and Trino's blocks. The values of null positions have no meaning. Stateless.
 */
final class TimeBlocks {
    private static final int MAX_MICROS_PRECISION = 6;

    private TimeBlocks() {}

    /** Nanoseconds as the block of a timestamp(7) to timestamp(9). */
    static Block timestamps(long[] nanos, Optional<long[]> valid) {
        int[] values = new int[nanos.length * 3];
        for (int index = 0; index < nanos.length; index++) {
            Fixed12Block.encodeFixed12(
                    floorDiv(nanos[index], NANOSECONDS_PER_MICROSECOND),
                    floorMod(nanos[index], NANOSECONDS_PER_MICROSECOND)
                            * PICOSECONDS_PER_NANOSECOND,
                    values,
                    index);
        }
        return new Fixed12Block(nanos.length, valid, values);
    }

    /** The inverse of {@link #timestamps}. */
    static long[] nanosOfTimestamps(Fixed12Block block) {
        long[] nanos = new long[block.getPositionCount()];
        for (int position = 0; position < nanos.length; position++) {
            if (!block.isNull(position)) {
                nanos[position] =
                        nanos(
                                block.getFixed12First(position),
                                NANOSECONDS_PER_MICROSECOND,
                                block.getFixed12Second(position) / PICOSECONDS_PER_NANOSECOND);
            }
        }
        return nanos;
    }

    /**
     * Micro- or nanoseconds, depending on the precision, as the block of a timestamp with time
     * zone, in UTC.
     */
    static Block instants(long[] stored, Optional<long[]> valid, int precision) {
        boolean isNanos = precision > MAX_MICROS_PRECISION;
        int unitsPerMilli = isNanos ? NANOSECONDS_PER_MILLISECOND : MICROSECONDS_PER_MILLISECOND;
        int picosPerUnit = isNanos ? PICOSECONDS_PER_NANOSECOND : PICOSECONDS_PER_MICROSECOND;
        boolean isShort = precision <= TimestampWithTimeZoneType.MAX_SHORT_PRECISION;
        long[] packed = new long[isShort ? stored.length : 0];
        int[] values = new int[isShort ? 0 : stored.length * 3];
        for (int index = 0; index < stored.length; index++) {
            long millis = floorDiv(stored[index], unitsPerMilli);
            if (isShort) {
                packed[index] = packDateTimeWithZone(millis, UTC_KEY);
            } else {
                Fixed12Block.encodeFixed12(
                        packDateTimeWithZone(millis, UTC_KEY),
                        floorMod(stored[index], unitsPerMilli) * picosPerUnit,
                        values,
                        index);
            }
        }
        return isShort
                ? new LongArrayBlock(stored.length, valid, packed)
                : new Fixed12Block(stored.length, valid, values);
    }

    /** The inverse of {@link #instants}; zones are dropped. */
    static long[] storedInstants(ValueBlock block, int precision) {
        boolean isNanos = precision > MAX_MICROS_PRECISION;
        long[] stored = new long[block.getPositionCount()];
        for (int position = 0; position < stored.length; position++) {
            if (block.isNull(position)) {
                continue;
            }
            if (block instanceof LongArrayBlock longs) {
                stored[position] =
                        unpackMillisUtc(longs.getLong(position)) * MICROSECONDS_PER_MILLISECOND;
                continue;
            }
            Fixed12Block values = (Fixed12Block) block;
            long millis = unpackMillisUtc(values.getFixed12First(position));
            int picos = values.getFixed12Second(position);
            stored[position] =
                    isNanos
                            ? nanos(
                                    millis,
                                    NANOSECONDS_PER_MILLISECOND,
                                    picos / PICOSECONDS_PER_NANOSECOND)
                            : millis * MICROSECONDS_PER_MILLISECOND
                                    + picos / PICOSECONDS_PER_MICROSECOND;
        }
        return stored;
    }

    /**
     * Units and a rest as nanoseconds.
     *
     * @throws SteleException INVALID_ARGUMENT outside of what 64 bits hold
     */
    static long nanos(long units, int nanosPerUnit, int rest) {
        // The first second of the range has a whole part below it
        long borrowed = units < 0 && rest > 0 ? units + 1 : units;
        long restNanos = borrowed == units ? rest : rest - (long) nanosPerUnit;
        try {
            return Math.addExact(Math.multiplyExact(borrowed, (long) nanosPerUnit), restNanos);
        } catch (ArithmeticException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a time from 1677-09-21 00:12:43.145224192 to 2262-04-11 23:47:16.854775807 UTC"
                            + " for a precision of nanoseconds, found one outside",
                    e);
        }
    }
}
