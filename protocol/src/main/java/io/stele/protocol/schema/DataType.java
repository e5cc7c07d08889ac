package io.stele.protocol.schema;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The type of a column or a nested value. Its {@link #text()} is Trino's display form, which {@link
 * #parse} reads, and which JSON, Arrow metadata and ORC attributes contain.
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
     * The deepest nesting of arrays, maps and rows, so that recursive algorithms cannot overflow
     * the stack.
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

    /**
     * The digits after the decimal point, for types that files and Arrow store as decimals; else 0.
     */
    default int scale() {
        return 0;
    }

    /** Levels of nesting: 0 for a scalar. */
    default int depth() {
        return 0;
    }

    /**
     * Parses Trino's syntax; case is ignored outside quotes.
     *
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT for bad syntax and for types that
     *     are not storable
     */
    @JsonCreator
    static DataType parse(String text) {
        return new TypeParser(text).parse();
    }
}
