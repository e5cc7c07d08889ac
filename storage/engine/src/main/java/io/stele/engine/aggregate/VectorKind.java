package io.stele.engine.aggregate;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.DataType;

/** The in-memory representations of the values of a vector. */
enum VectorKind {
    /** Integers of all widths, booleans (0 or 1), dates, timestamps, decimals to 18 digits. */
    LONG,
    /** Real (widened) and double. */
    DOUBLE,
    /** Decimals of more digits, wide timestamps: two longs. */
    INT128,
    /** Text. */
    BYTES;

    static VectorKind of(DataType type) {
        return switch (type.form()) {
            case BOOLEAN, INT8, INT16, INT32, INT64 -> LONG;
            case FLOAT32, FLOAT64 -> DOUBLE;
            case INT128 -> INT128;
            case BYTES -> BYTES;
            case FIXED16, ARRAY, MAP, ROW ->
                    throw new SteleException(
                            ErrorCode.INVALID_ARGUMENT,
                            "Expected a type that aggregations read, found " + type);
        };
    }
}
