package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * A time of day: nanoseconds since midnight whatever the precision.
 *
 * @param precision digits of the second's fraction, 0 to 9
 */
public record TimeType(int precision) implements DataType {
    public TimeType {
        check(precision >= 0 && precision <= 9, "time precision of 0 to 9", precision);
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
