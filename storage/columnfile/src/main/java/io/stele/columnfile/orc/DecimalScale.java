package io.stele.columnfile.orc;

import java.util.Optional;

/**
 * A lossless encoding of doubles with few decimal digits as whole numbers, for {@link
 * ScaledColumn}s of column files. With a scale of 2, 12.34 is stored as 1,234 minus a base. A
 * double is encoded only if it decodes to the same bits: {@link #encode} checks this. Most doubles
 * in tables have few digits (Afroozeh, Kuffó and Boncz, "ALP: Adaptive Lossless floating-Point
 * Compression", SIGMOD 2023, section 2; the base is their frame of reference). Unlike ALP, it
 * divides the whole number by a power of ten instead of multiplying it by the inverse. A division
 * rounds only once, so that the scale alone determines the decoding.
 *
 * <p>Immutable and thread-safe.
 *
 * @param scale digits after the decimal point, 0 to {@value #MAX_SCALE}
 * @param base the whole number that is encoded as 0. In the middle of all values, it makes all
 *     encoded numbers small
 */
public record DecimalScale(int scale, long base) {
    /** Millionths. */
    public static final int MAX_SCALE = 6;

    /** The result of {@link #encode} for a double that this cannot encode. */
    public static final long NONE = Long.MIN_VALUE;

    /**
     * Five bytes and a sign: larger numbers would save too little of the eight bytes of a double.
     * It is below 2^53, so that every whole number is a double.
     */
    static final long MAX_WHOLE = 1L << 40;

    private static final double[] POWERS = {1, 10, 100, 1_000, 10_000, 100_000, 1_000_000};

    public DecimalScale {
        if (scale < 0 || scale > MAX_SCALE) {
            throw new IllegalArgumentException(
                    "Expected a scale of 0 to " + MAX_SCALE + ", found " + scale);
        }
        if (Math.abs(base) > MAX_WHOLE) {
            throw new IllegalArgumentException("Expected a base of -2^40 to 2^40, found " + base);
        }
    }

    /** The number that {@link #decode} decodes to this value, or {@link #NONE}. */
    public long encode(double value) {
        long whole = whole(value, scale);
        return whole == NONE ? NONE : whole - base;
    }

    private static long whole(double value, int scale) {
        double rounded = Math.rint(value * POWERS[scale]);
        if (!(Math.abs(rounded) <= MAX_WHOLE)) { // also true for NaN
            return NONE;
        }
        long whole = (long) rounded;
        double decoded = whole / POWERS[scale];
        return Double.doubleToRawLongBits(decoded) == Double.doubleToRawLongBits(value)
                ? whole
                : NONE;
    }

    /** The value of an encoded number; strictly increasing with the number. */
    public double decode(long encoded) {
        return (encoded + base) / POWERS[scale];
    }

    /**
     * A number below which all numbers decode to lower values; not necessarily the greatest such
     * number.
     */
    public long floor(double value) {
        return (long)
                        Math.clamp(
                                Math.floor(value * POWERS[scale]) - 1,
                                -4.0 * MAX_WHOLE,
                                4.0 * MAX_WHOLE)
                - base;
    }

    /**
     * A number above which all numbers decode to greater values; not necessarily the least such
     * number.
     */
    public long ceiling(double value) {
        return (long)
                        Math.clamp(
                                Math.ceil(value * POWERS[scale]) + 1,
                                -4.0 * MAX_WHOLE,
                                4.0 * MAX_WHOLE)
                - base;
    }

    /**
     * A builder that finds the least scale that encodes all added values. Confined to one thread.
     */
    public static final class Chooser {
        private int scale;
        private double least = Double.POSITIVE_INFINITY;
        private double greatest = Double.NEGATIVE_INFINITY;

        /** Adds a value. */
        public void add(double value) {
            least = Math.min(least, value);
            greatest = Math.max(greatest, value);
            while (scale <= MAX_SCALE && whole(value, scale) == NONE) {
                scale++;
            }
        }

        /**
         * The scale of all values so far, with the base in their middle; empty if no scale fits, or
         * no value was added.
         */
        public Optional<DecimalScale> choice() {
            if (scale > MAX_SCALE || least > greatest) {
                return Optional.empty();
            }
            // At a scale above their own, both may be too large
            long low = whole(least, scale);
            long high = whole(greatest, scale);
            return low == NONE || high == NONE
                    ? Optional.empty()
                    : Optional.of(new DecimalScale(scale, (low + high) / 2));
        }
    }
}
