package io.stele.protocol.schema;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * A storable type. Its {@link #text()} is Trino's display form, is parsed back by {@link #parse},
 * and is what JSON, Arrow metadata and ORC attributes carry.
 */
public sealed interface DataType
        permits ScalarType,
                DecimalType,
                VarcharType,
                CharType,
                TimeType,
                TimestampType,
                ArrayType,
                MapType,
                RowType {
    /**
     * Deepest nesting of arrays, maps and rows: bounds recursive walks, so that none overflows the
     * stack.
     */
    int MAX_DEPTH = 32;

    TypeKind kind();

    /** The physical form of values in rows, keys and statistics. */
    PhysicalForm form();

    /** The type in Trino's syntax, for example {@code decimal(12,2)}. */
    @JsonValue
    String text();

    /** Whether values have an order that keys, statistics and range predicates may use. */
    default boolean isOrderable() {
        return !form().isNested() && kind() != TypeKind.JSON;
    }

    /** Digits behind the point of values that files and Arrow have as decimals; 0 of others. */
    default int scale() {
        return 0;
    }

    /** Levels of nesting: 0 for a scalar. */
    default int depth() {
        return 0;
    }

    /**
     * Reads Trino's syntax; upper and lower case are the same outside quotes.
     *
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT for bad syntax and for types that
     *     are not storable
     */
    @JsonCreator
    static DataType parse(String text) {
        return new TypeParser(text).parse();
    }
}
