package io.stele.protocol.schema;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;

/** A helper of types and schemas that throws INVALID_ARGUMENT for numbers out of range. */
final class TypeLimits {
    private TypeLimits() {}

    static void check(boolean condition, String expected, Object found) {
        if (!condition) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT, "Expected " + expected + ", found " + found);
        }
    }

    static void checkDepth(int depth) {
        check(
                depth <= DataType.MAX_DEPTH,
                "at most " + DataType.MAX_DEPTH + " levels of nested types",
                depth);
    }
}
