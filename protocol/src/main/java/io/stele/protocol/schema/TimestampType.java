package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * A date and time of day, or (with time zone) an instant that reads back in UTC: microseconds since
 * 1970 up to precision 6, nanoseconds beyond (years 1677 to 2262).
 *
 * @param precision digits of the second's fraction, 0 to 9
 * @param withTimeZone whether values are instants
 */
public record TimestampType(int precision, boolean withTimeZone) implements DataType {
    /** Most digits kept as microseconds. */
    public static final int MAX_MICROS_PRECISION = 6;

    public TimestampType {
        check(precision >= 0 && precision <= 9, "timestamp precision of 0 to 9", precision);
    }

    /** Whether values count nanoseconds rather than microseconds. */
    public boolean isNanos() {
        return precision > MAX_MICROS_PRECISION;
    }

    @Override
    public TypeKind kind() {
        return withTimeZone ? TypeKind.TIMESTAMP_WITH_TIME_ZONE : TypeKind.TIMESTAMP;
    }

    @Override
    public PhysicalForm form() {
        return PhysicalForm.INT64;
    }

    @Override
    public String text() {
        return "timestamp(" + precision + ")" + (withTimeZone ? " with time zone" : "");
    }

    @Override
    public String toString() {
        return text();
    }
}
