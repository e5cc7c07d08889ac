package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * The decimal type: an unscaled integer of 64 bits for up to 18 digits, and of 128 bits for more.
 *
 * @param precision total digits, 1 to 38
 * @param scale digits after the decimal point, 0 to {@code precision}
 */
public record DecimalType(int precision, int scale) implements DataType {
    /** The most digits whose unscaled value fits a long. */
    public static final int MAX_SHORT_PRECISION = 18;

    /** The most digits whose unscaled value fits 128 bits. */
    public static final int MAX_PRECISION = 38;

    public DecimalType {
        check(
                precision >= 1 && precision <= MAX_PRECISION,
                "decimal precision of 1 to 38",
                precision);
        check(scale >= 0 && scale <= precision, "decimal scale of 0 to the precision", scale);
    }

    /** Whether the unscaled value fits a long. */
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
