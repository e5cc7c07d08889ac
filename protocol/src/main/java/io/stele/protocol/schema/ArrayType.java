package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.checkDepth;
import static java.util.Objects.requireNonNull;

/**
 * The array type: a list of values of one type; elements may be null.
 *
 * @param element type of the elements
 */
public record ArrayType(DataType element) implements DataType {
    public ArrayType {
        requireNonNull(element, "element is null");
        checkDepth(element.depth() + 1);
    }

    @Override
    public TypeKind kind() {
        return TypeKind.ARRAY;
    }

    @Override
    public PhysicalForm form() {
        return PhysicalForm.ARRAY;
    }

    @Override
    public int depth() {
        return element.depth() + 1;
    }

    @Override
    public String text() {
        return "array(" + element.text() + ")";
    }

    @Override
    public String toString() {
        return text();
    }
}
