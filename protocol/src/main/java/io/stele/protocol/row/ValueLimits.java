package io.stele.protocol.row;

import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import java.math.BigInteger;

/**
 * The ranges of a type's values in physical form, which the validation of rows checks. Immutable.
 *
 * <p>Integer-like values are multiples of {@code unit} in {@code min..max}, inclusive; 128-bit
 * values have their own range. Text has at most {@code maxCodePoints} code points.
 */
final class ValueLimits {
    private static final long SECONDS_OF_DAY = 86_400;

    /** Trino packs an instant's milliseconds in 52 bits. */
    private static final long MAX_ZONED_MILLIS = (1L << 51) - 1;

    private static final int MICROS_DIGITS = TimestampType.MAX_MICROS_PRECISION;

    private static final long[] POWERS_OF_TEN = new long[19];

    static {
        POWERS_OF_TEN[0] = 1;
        for (int i = 1; i < POWERS_OF_TEN.length; i++) {
            POWERS_OF_TEN[i] = POWERS_OF_TEN[i - 1] * 10;
        }
    }

    final long min;
    final long max;
    final long unit;
    final int maxCodePoints;
    final boolean isText;
    final boolean isChar;
    private final long minHigh;
    private final long minLow;
    private final long maxHigh;
    private final long maxLow;

    ValueLimits(DataType type) {
        long low = Long.MIN_VALUE;
        long high = Long.MAX_VALUE;
        long step = 1;
        int codePoints = VarcharType.UNBOUNDED;
        BigInteger wideLow = BigInteger.ZERO;
        BigInteger wideHigh = BigInteger.ZERO;
        if (type instanceof DecimalType decimal) {
            if (decimal.isShort()) {
                high = POWERS_OF_TEN[decimal.precision()] - 1;
                low = -high;
            } else {
                wideHigh = BigInteger.TEN.pow(decimal.precision()).subtract(BigInteger.ONE);
                wideLow = wideHigh.negate();
            }
        } else if (type instanceof TimeType time) {
            low = 0;
            high = SECONDS_OF_DAY * POWERS_OF_TEN[time.unitDigits()] - 1;
            step = POWERS_OF_TEN[time.unitDigits() - time.precision()];
        } else if (type instanceof TimestampType timestamp) {
            step = POWERS_OF_TEN[timestamp.unitDigits() - timestamp.precision()];
            if (timestamp.isWide()) {
                // The range of SQL: milliseconds or microseconds, and the fraction below one
                boolean zoned = timestamp.withTimeZone();
                BigInteger below =
                        BigInteger.TEN.pow(timestamp.unitDigits() - (zoned ? 3 : MICROS_DIGITS));
                wideLow = below.multiply(longValue(zoned ? -MAX_ZONED_MILLIS : Long.MIN_VALUE));
                wideHigh =
                        below.multiply(longValue(zoned ? MAX_ZONED_MILLIS : Long.MAX_VALUE))
                                .add(below)
                                .subtract(BigInteger.ONE);
            } else if (timestamp.withTimeZone() && !timestamp.isNanos()) {
                high = MAX_ZONED_MILLIS * 1000 + 999;
                low = -MAX_ZONED_MILLIS * 1000;
            }
        } else if (type instanceof VarcharType varchar) {
            codePoints = varchar.length();
        } else if (type instanceof CharType character) {
            codePoints = character.length();
        }
        this.min = low;
        this.max = high;
        this.unit = step;
        this.maxCodePoints = codePoints;
        this.isChar = type instanceof CharType;
        this.isText =
                switch (type.kind()) {
                    case VARCHAR, CHAR, JSON -> true;
                    default -> false;
                };
        this.minHigh = wideLow.shiftRight(Long.SIZE).longValue();
        this.minLow = wideLow.longValue();
        this.maxHigh = wideHigh.shiftRight(Long.SIZE).longValue();
        this.maxLow = wideHigh.longValue();
    }

    private static BigInteger longValue(long value) {
        return BigInteger.valueOf(value);
    }

    boolean allows(long value) {
        return value >= min && value <= max && (unit == 1 || value % unit == 0);
    }

    /** Whether a 128-bit number is in its range and a multiple of the unit. */
    boolean allows(long high, long low) {
        return isAtMost(minHigh, minLow, high, low)
                && isAtMost(high, low, maxHigh, maxLow)
                && (unit == 1 || isMultiple(high, low));
    }

    /** Divides 32 bits at a time, because units are at most 100. */
    private boolean isMultiple(long high, long low) {
        long rest = Math.floorMod(high, unit);
        rest = (rest << Integer.SIZE | low >>> Integer.SIZE) % unit;
        return (rest << Integer.SIZE | low & 0xFFFF_FFFFL) % unit == 0;
    }

    private static boolean isAtMost(long leftHigh, long leftLow, long high, long low) {
        return leftHigh < high || (leftHigh == high && Long.compareUnsigned(leftLow, low) <= 0);
    }

    /** Whether every bit pattern of the type's width is a value. */
    boolean allowsAllLongs() {
        return min == Long.MIN_VALUE && max == Long.MAX_VALUE && unit == 1;
    }
}
