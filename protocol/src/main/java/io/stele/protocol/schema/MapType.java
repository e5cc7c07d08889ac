package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.checkDepth;
import static java.util.Objects.requireNonNull;

/**
 * The map type: pairs of a non-null key and a nullable value, in the order in which they were
 * written.
 *
 * @param key type of the keys
 * @param value type of the values
 */
public record MapType(DataType key, DataType value) implements DataType {
    public MapType {
        requireNonNull(key, "key is null");
        requireNonNull(value, "value is null");
        checkDepth(Math.max(key.depth(), value.depth()) + 1);
    }

    @Override
    public TypeKind kind() {
        return TypeKind.MAP;
    }

    @Override
    public PhysicalForm form() {
        return PhysicalForm.MAP;
    }

    @Override
    public int depth() {
        return Math.max(key.depth(), value.depth()) + 1;
    }

    @Override
    public String text() {
        return "map(" + key.text() + ", " + value.text() + ")";
    }

    @Override
    public String toString() {
        return text();
    }
}
