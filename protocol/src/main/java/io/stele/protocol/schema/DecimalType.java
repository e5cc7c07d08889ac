package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * An exact number: an unscaled integer in 64 bits up to 18 digits and in 128 bits beyond.
 *
 * @param precision digits in all, 1 to 38
 * @param scale digits behind the point, 0 to precision
 */
public record DecimalType(int precision, int scale) implements DataType {
    /** Most digits whose unscaled value fits a long. */
    public static final int MAX_SHORT_PRECISION = 18;

    /** Most digits whose unscaled value fits 128 bits. */
    public static final int MAX_PRECISION = 38;

    public DecimalType {
        check(
                precision >= 1 && precision <= MAX_PRECISION,
                "decimal precision of 1 to 38",
                precision);
        check(scale >= 0 && scale <= precision, "decimal scale of 0 to the precision", scale);
    }

    /** Whether the unscaled value is a long. */
    public boolean isShort() {
        return precision <= MAX_SHORT_PRECISION;
    }

    @Override
    public TypeKind kind() {
        return TypeKind.DECIMAL;
    }

    @Override
    public PhysicalForm form() {
        return isShort() ? PhysicalForm.INT64 : PhysicalForm.INT128;
    }

    @Override
    public String text() {
        return "decimal(" + precision + "," + scale + ")";
    }

    @Override
    public String toString() {
        return text();
    }
}
