package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * The time type: nanoseconds since midnight up to precision 9, picoseconds for higher precisions.
 *
 * @param precision digits of the second's fraction, 0 to 12
 */
public record TimeType(int precision) implements DataType {
    /** The greatest precision stored in nanoseconds. */
    public static final int MAX_NANOS_PRECISION = 9;

    /** The most digits of the second's fraction. */
    public static final int MAX_PRECISION = 12;

    public TimeType {
        check(
                precision >= 0 && precision <= MAX_PRECISION,
                "time precision of 0 to " + MAX_PRECISION,
                precision);
    }

    /** Whether values count picoseconds. */
    public boolean isPicos() {
        return precision > MAX_NANOS_PRECISION;
    }

    /** The digits of the second's fraction in the physical value. */
    public int unitDigits() {
        return isPicos() ? MAX_PRECISION : MAX_NANOS_PRECISION;
    }

    @Override
    public TypeKind kind() {
        return TypeKind.TIME;
    }

    @Override
    public PhysicalForm form() {
        return PhysicalForm.INT64;
    }

    @Override
    public String text() {
        return "time(" + precision + ")";
    }

    @Override
    public String toString() {
        return text();
    }
}
