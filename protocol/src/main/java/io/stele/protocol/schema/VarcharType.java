package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * The varchar type: text of at most {@code length} code points, as UTF-8.
 *
 * @param length the most code points; {@link #UNBOUNDED} if only the row's size is limited
 */
public record VarcharType(int length) implements DataType {
    /** The length of a plain {@code varchar}, as in Trino. */
    public static final int UNBOUNDED = Integer.MAX_VALUE;

    /** A plain {@code varchar}. */
    public static final VarcharType VARCHAR = new VarcharType(UNBOUNDED);

    public VarcharType {
        check(length >= 0, "varchar length >= 0", length);
    }

    public boolean isUnbounded() {
        return length == UNBOUNDED;
    }

    @Override
    public TypeKind kind() {
        return TypeKind.VARCHAR;
    }

    @Override
    public PhysicalForm form() {
        return PhysicalForm.BYTES;
    }

    @Override
    public String text() {
        return isUnbounded() ? "varchar" : "varchar(" + length + ")";
    }

    @Override
    public String toString() {
        return text();
    }
}
