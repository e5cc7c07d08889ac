package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * The timestamp types: a date and time of day, or (with time zone) an instant, which is read in
 * UTC.
 *
 * <p>Up to precision 6 values are microseconds since 1970 in 64 bits. For higher precisions they
 * are wide: nano- (7 to 9) or picoseconds (10 to 12) in 128 bits, for all years of Trino.
 * Precisions 7 to 9 also have a narrow form, nanoseconds in 64 bits (years 1677 to 2262), which old
 * tables, logs and files use.
 *
 * @param precision digits of the second's fraction, 0 to 12
 * @param withTimeZone whether values are instants
 * @param isWide whether values have 128 bits: never up to precision 6, always from 10 on
 */
public record TimestampType(int precision, boolean withTimeZone, boolean isWide)
        implements DataType {
    /** The greatest precision stored in microseconds. */
    public static final int MAX_MICROS_PRECISION = 6;

    /** The most digits of nanoseconds. */
    public static final int MAX_NANOS_PRECISION = 9;

    /** The most digits of the second's fraction. */
    public static final int MAX_PRECISION = 12;

    /** The name of the wide form in type texts; the narrow form has SQL's name. */
    static final String WIDE_NAME = "wide_timestamp";

    public TimestampType {
        check(
                precision >= 0 && precision <= MAX_PRECISION,
                "timestamp precision of 0 to " + MAX_PRECISION,
                precision);
        check(
                isWide ? precision > MAX_MICROS_PRECISION : precision <= MAX_NANOS_PRECISION,
                "a timestamp of 128 bits from precision 7 on, and always from 10 on",
                precision);
    }

    /** The type with the text {@code timestamp(p)}: narrow if there is a narrow form. */
    public TimestampType(int precision, boolean withTimeZone) {
        this(precision, withTimeZone, precision > MAX_NANOS_PRECISION);
    }

    /** The type for all years, which new columns have. */
    public static TimestampType ofAllYears(int precision, boolean withTimeZone) {
        return new TimestampType(precision, withTimeZone, precision > MAX_MICROS_PRECISION);
    }

    /** Whether values count nanoseconds in 64 bits. */
    public boolean isNanos() {
        return !isWide && precision > MAX_MICROS_PRECISION;
    }

    /** The digits of the second's fraction in the physical value. */
    public int unitDigits() {
        if (precision > MAX_NANOS_PRECISION) {
            return MAX_PRECISION;
        }
        return precision > MAX_MICROS_PRECISION ? MAX_NANOS_PRECISION : MAX_MICROS_PRECISION;
    }

    @Override
    public TypeKind kind() {
        return withTimeZone ? TypeKind.TIMESTAMP_WITH_TIME_ZONE : TypeKind.TIMESTAMP;
    }

    @Override
    public PhysicalForm form() {
        return isWide ? PhysicalForm.INT128 : PhysicalForm.INT64;
    }

    /** The scale of wide values, which files and Arrow store as decimal seconds. */
    @Override
    public int scale() {
        return isWide ? unitDigits() : 0;
    }

    @Override
    public String text() {
        boolean isNamedWide = isWide && precision <= MAX_NANOS_PRECISION;
        return (isNamedWide ? WIDE_NAME : "timestamp")
                + "("
                + precision
                + ")"
                + (withTimeZone ? " with time zone" : "");
    }

    @Override
    public String toString() {
        return text();
    }
}
