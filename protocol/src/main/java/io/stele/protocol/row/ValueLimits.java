package io.stele.protocol.row;

import io.stele.protocol.schema.CharType;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.DecimalType;
import io.stele.protocol.schema.TimeType;
import io.stele.protocol.schema.TimestampType;
import io.stele.protocol.schema.VarcharType;
import java.math.BigInteger;

/**
 * The range of a type's values in physical form: what a validator must check beyond structure.
 * Immutable.
 *
 * <p>Integer-like values lie in {@code min..max} and are multiples of {@code unit}; 128-bit ones
 * have an absolute value below {@code 10^precision}; text has at most {@code maxCodePoints}.
 */
final class ValueLimits {
    private static final long NANOS_OF_DAY = 86_400_000_000_000L;

    /** Trino packs an instant's milliseconds in 52 bits. */
    private static final long MAX_ZONED_MILLIS = (1L << 51) - 1;

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
    private final long limitHigh;
    private final long limitLow;

    ValueLimits(DataType type) {
        long low = Long.MIN_VALUE;
        long high = Long.MAX_VALUE;
        long step = 1;
        int codePoints = VarcharType.UNBOUNDED;
        BigInteger limit = BigInteger.ZERO;
        if (type instanceof DecimalType decimal) {
            if (decimal.isShort()) {
                high = POWERS_OF_TEN[decimal.precision()] - 1;
                low = -high;
            } else {
                limit = BigInteger.TEN.pow(decimal.precision());
            }
        } else if (type instanceof TimeType time) {
            low = 0;
            high = NANOS_OF_DAY - 1;
            step = POWERS_OF_TEN[9 - time.precision()];
        } else if (type instanceof TimestampType timestamp) {
            step = POWERS_OF_TEN[(timestamp.isNanos() ? 9 : 6) - timestamp.precision()];
            if (timestamp.withTimeZone() && !timestamp.isNanos()) {
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
        this.limitHigh = limit.shiftRight(64).longValue();
        this.limitLow = limit.longValue();
    }

    boolean allows(long value) {
        return value >= min && value <= max && (unit == 1 || value % unit == 0);
    }

    /** Whether the absolute value of a 128-bit number is below the limit. */
    boolean allows(long high, long low) {
        long absoluteHigh = high;
        long absoluteLow = low;
        if (high < 0) {
            absoluteLow = -low;
            absoluteHigh = ~high + (low == 0 ? 1 : 0);
        }
        return absoluteHigh >= 0
                && (absoluteHigh < limitHigh
                        || (absoluteHigh == limitHigh
                                && Long.compareUnsigned(absoluteLow, limitLow) < 0));
    }

    /** Whether every bit pattern of the type's width is a value. */
    boolean allowsAllLongs() {
        return min == Long.MIN_VALUE && max == Long.MAX_VALUE && unit == 1;
    }
}
