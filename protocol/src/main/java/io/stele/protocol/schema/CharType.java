package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;

/**
 * The char type: text of exactly {@code length} code points, stored as UTF-8 without its trailing
 * spaces, but compared with them.
 *
 * @param length code points, 0 to 65,536 (Trino's limit)
 */
public record CharType(int length) implements DataType {
    public CharType {
        check(length >= 0 && length <= 65_536, "char length of 0 to 65536", length);
    }

    @Override
    public TypeKind kind() {
        return TypeKind.CHAR;
    }

    @Override
    public PhysicalForm form() {
        return PhysicalForm.BYTES;
    }

    @Override
    public String text() {
        return "char(" + length + ")";
    }

    @Override
    public String toString() {
        return text();
    }
}
