package io.stele.connector.type;

import static io.trino.spi.type.DateTimeEncoding.packDateTimeWithZone;
import static io.trino.spi.type.DateTimeEncoding.unpackMillisUtc;
import static io.trino.spi.type.TimeZoneKey.UTC_KEY;
import static io.trino.spi.type.Timestamps.PICOSECONDS_PER_NANOSECOND;

import io.stele.protocol.schema.TimestampType;
import io.trino.spi.block.Block;
import io.trino.spi.block.Fixed12Block;
import io.trino.spi.block.Int128ArrayBlock;
import io.trino.spi.block.ValueBlock;
import io.trino.spi.type.Int128;
import io.trino.spi.type.LongTimestamp;
import io.trino.spi.type.LongTimestampWithTimeZone;
import java.util.Optional;

/**
 * A converter of timestamps between Stele's 128-bit form, nano- or picoseconds since 1970, and
 * Trino's form, micro- or milliseconds with a rest in picoseconds. Immutable.
 */
final class WideTimes {
    private static final long LOW_32 = 0xFFFF_FFFFL;

    private final boolean isInstant;
    private final long unitsPerWhole; // of Trino's micro- or milliseconds: below 2^31
    private final int picosPerUnit;

    WideTimes(TimestampType type) {
        boolean isNanos = type.precision() <= TimestampType.MAX_NANOS_PRECISION;
        this.isInstant = type.withTimeZone();
        this.picosPerUnit = isNanos ? PICOSECONDS_PER_NANOSECOND : 1;
        this.unitsPerWhole = (isInstant ? 1_000_000_000L : 1_000_000L) / picosPerUnit;
    }

    /** Trino's native value, in UTC. */
    Object toNative(long high, long low) {
        long whole = whole(high, low);
        int picos = picos(high, low);
        return isInstant
                ? LongTimestampWithTimeZone.fromEpochMillisAndFraction(whole, picos, UTC_KEY)
                : new LongTimestamp(whole, picos);
    }

    /** The inverse of {@link #toNative}; zones are dropped. */
    Int128 toStored(Object value) {
        if (value instanceof LongTimestampWithTimeZone instant) {
            return stored(instant.getEpochMillis(), instant.getPicosOfMilli());
        }
        LongTimestamp timestamp = (LongTimestamp) value;
        return stored(timestamp.getEpochMicros(), timestamp.getPicosOfMicro());
    }

    /**
     * Trino's block of the stored values.
     *
     * @param stored high and low word of one value after the other
     */
    Block toBlock(long[] stored, Optional<long[]> valid) {
        int count = stored.length / 2;
        int[] values = new int[count * 3];
        for (int index = 0; index < count; index++) {
            long high = stored[2 * index];
            long low = stored[2 * index + 1];
            long whole = whole(high, low);
            Fixed12Block.encodeFixed12(
                    isInstant ? packDateTimeWithZone(whole, UTC_KEY) : whole,
                    picos(high, low),
                    values,
                    index);
        }
        return new Fixed12Block(count, valid, values);
    }

    Block fromFile(ValueBlock block) {
        Int128ArrayBlock source = (Int128ArrayBlock) block;
        long[] stored = new long[source.getPositionCount() * 2];
        for (int position = 0; position < source.getPositionCount(); position++) {
            if (!source.isNull(position)) {
                stored[2 * position] = source.getInt128High(position);
                stored[2 * position + 1] = source.getInt128Low(position);
            }
        }
        return toBlock(stored, BlockConverter.validity(block));
    }

    /** The inverse of {@link #fromFile}; zones are dropped. */
    Block toFile(ValueBlock block) {
        Fixed12Block source = (Fixed12Block) block;
        long[] stored = new long[source.getPositionCount() * 2];
        for (int position = 0; position < source.getPositionCount(); position++) {
            if (!source.isNull(position)) {
                long first = source.getFixed12First(position);
                Int128 value =
                        stored(
                                isInstant ? unpackMillisUtc(first) : first,
                                source.getFixed12Second(position));
                stored[2 * position] = value.getHigh();
                stored[2 * position + 1] = value.getLow();
            }
        }
        return new Int128ArrayBlock(
                source.getPositionCount(), BlockConverter.validity(block), stored);
    }

    private Int128 stored(long whole, int picos) {
        long rest = picos / picosPerUnit;
        long low = whole * unitsPerWhole + rest;
        long carry = Long.compareUnsigned(low, rest) < 0 ? 1 : 0;
        return Int128.valueOf(Math.multiplyHigh(whole, unitsPerWhole) + carry, low);
    }

    /* A division of 128 bits by less than 31, rounded down, 32 bits at a time from the second word
     * on: values are in the range of their type, so the first word has fewer than 31 bits. */

    private long whole(long high, long low) {
        long upper = high << Integer.SIZE | low >>> Integer.SIZE;
        long rest = Math.floorMod(upper, unitsPerWhole);
        long lower = (rest << Integer.SIZE | low & LOW_32) / unitsPerWhole;
        return (Math.floorDiv(upper, unitsPerWhole) << Integer.SIZE) + lower;
    }

    private int picos(long high, long low) {
        long upper = high << Integer.SIZE | low >>> Integer.SIZE;
        long rest = Math.floorMod(upper, unitsPerWhole);
        return (int) ((rest << Integer.SIZE | low & LOW_32) % unitsPerWhole) * picosPerUnit;
    }
}
