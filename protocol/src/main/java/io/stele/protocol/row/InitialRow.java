package io.stele.protocol.row;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.InitialValue;
import java.util.List;
import java.util.Optional;

/**
 * A converter between the {@link InitialValue} of an added column, which older rows have, and a
 * binary row of that column alone, at position 0. Stateless.
 */
public final class InitialRow {
    private InitialRow() {}

    /**
     * The initial value in the column's present type; empty: rows written before the column was
     * added have null.
     */
    public static Optional<BinaryRow> of(ColumnSchema column) {
        return column.initialValue().map(value -> of(value, column.type()));
    }

    private static BinaryRow of(InitialValue value, DataType type) {
        RowLayout layout = layout(type);
        byte[] row = RowMapping.of(layout(value.type()), layout).mapper().map(value.row());
        return new BinaryRow(layout).wrap(row);
    }

    /**
     * A Java value, of the classes of {@link Rows}, as an initial value.
     *
     * @throws io.stele.protocol.SteleException TYPE_MISMATCH if the type does not represent it
     *     exactly
     */
    public static InitialValue value(DataType type, Object value) {
        return new InitialValue(type, Rows.toBytes(layout(type), value));
    }

    /**
     * Checks that the bytes are a value of their type.
     *
     * @throws io.stele.protocol.SteleException as {@link RowLayout#validate}
     */
    public static void validate(InitialValue value) {
        layout(value.type()).validate(value.row(), 0, value.row().length);
    }

    private static RowLayout layout(DataType type) {
        return RowLayout.of(List.of(new ColumnSchema(1, "initial value", type).notNull()));
    }
}
