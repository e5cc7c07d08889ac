package io.stele.columnfile.orc;

import java.util.Optional;

/**
 * Doubles that are short decimal fractions, as whole numbers: with a scale of 2, 12.34 is stored as
 * 1,234 minus a base. A double is encoded only if it decodes to the same bits: {@link #encode}
 * checks this. Most doubles in tables are such (Afroozeh, Kuffó and Boncz, "ALP: Adaptive Lossless
 * floating-Point Compression", SIGMOD 2023, section 2; the base is their frame of reference). Other
 * than there the whole number is divided by a power of ten and not multiplied by its inverse, which
 * rounds once, so that one number says how to decode.
 *
 * <p>Immutable and thread-safe.
 *
 * @param scale digits behind the point, 0 to {@value #MAX_SCALE}
 * @param base the value that is encoded as 0, as a whole number: in the middle of all values, small
 *     numbers of both signs are left
 */
public record DecimalScale(int scale, long base) {
    /** Millionths. */
    public static final int MAX_SCALE = 6;

    /** The result of {@link #encode} for a double that is no such fraction. */
    public static final long NONE = Long.MIN_VALUE;

    /**
     * Five bytes and a sign: the double itself has eight, and less is not won above. Below 2^53, so
     * that every whole number is a double.
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

    /** The number that {@link #decode} makes this value of, or {@link #NONE}. */
    public long encode(double value) {
        long whole = whole(value, scale);
        return whole == NONE ? NONE : whole - base;
    }

    private static long whole(double value, int scale) {
        double rounded = Math.rint(value * POWERS[scale]);
        if (!(Math.abs(rounded) <= MAX_WHOLE)) { // nor is NaN
            return NONE;
        }
        long whole = (long) rounded;
        double decoded = whole / POWERS[scale];
        return Double.doubleToRawLongBits(decoded) == Double.doubleToRawLongBits(value)
                ? whole
                : NONE;
    }

    /** The value of an encoded number: larger for a larger one. */
    public double decode(long encoded) {
        return (encoded + base) / POWERS[scale];
    }

    /** A number such that all lower ones are of lower values; not the greatest such number. */
    public long floor(double value) {
        return (long)
                        Math.clamp(
                                Math.floor(value * POWERS[scale]) - 1,
                                -4.0 * MAX_WHOLE,
                                4.0 * MAX_WHOLE)
                - base;
    }

    /** A number such that all greater ones are of greater values; not the least such number. */
    public long ceiling(double value) {
        return (long)
                        Math.clamp(
                                Math.ceil(value * POWERS[scale]) + 1,
                                -4.0 * MAX_WHOLE,
                                4.0 * MAX_WHOLE)
                - base;
    }

    /** Finds the least scale of the values that it is shown. Confined to one thread. */
    public static final class Chooser {
        private int scale;
        private double least = Double.POSITIVE_INFINITY;
        private double greatest = Double.NEGATIVE_INFINITY;

        /** Takes one more value into account. */
        public void add(double value) {
            least = Math.min(least, value);
            greatest = Math.max(greatest, value);
            while (scale <= MAX_SCALE && whole(value, scale) == NONE) {
                scale++;
            }
        }

        /**
         * The scale of all values so far, with the base in their middle; empty if there is none, or
         * no value was shown.
         */
        public Optional<DecimalScale> choice() {
            if (scale > MAX_SCALE || least > greatest) {
                return Optional.empty();
            }
            // Of a greater scale than their own both may be too large
            long low = whole(least, scale);
            long high = whole(greatest, scale);
            return low == NONE || high == NONE
                    ? Optional.empty()
                    : Optional.of(new DecimalScale(scale, (low + high) / 2));
        }
    }
}
