package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;

/**
 * The value of an added column in the rows that were written before its addition. It is stored with
 * the column's type of that time; if the type is widened later, the rows have the widened value.
 * Immutable: the bytes are not copied and must not be changed.
 *
 * @param type of the column when it was added; not nested
 * @param row a row of one NOT NULL column of this type, see {@link
 *     io.stele.protocol.row.RowLayout}; 1 to {@value #MAX_BYTES} bytes
 */
public record InitialValue(@JsonProperty("type") DataType type, @JsonProperty("row") byte[] row) {
    /** A default value of {@link ColumnSchema#MAX_DEFAULT_LENGTH} characters fits. */
    public static final int MAX_BYTES = 64 << 10;

    public InitialValue {
        requireNonNull(type, "type is null");
        requireNonNull(row, "row is null");
        check(!type.form().isNested(), "an initial value of a type that is not nested", type);
        check(
                row.length > 0 && row.length <= MAX_BYTES,
                "an initial value of 1 to " + MAX_BYTES + " bytes",
                row.length);
    }

    /** Whether a column of a type can have this value. */
    boolean fits(DataType column) {
        return type.equals(column) || TypeWidening.isWidening(type, column);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InitialValue value
                && type.equals(value.type)
                && Arrays.equals(row, value.row);
    }

    @Override
    public int hashCode() {
        return 31 * type.hashCode() + Arrays.hashCode(row);
    }

    @Override
    public String toString() {
        return "InitialValue[" + type + ", " + row.length + " bytes]";
    }
}
