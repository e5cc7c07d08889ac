package io.stele.protocol.arrow;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.ScalarType;

/**
 * The description of one column of an Arrow stream: id, name and type.
 *
 * @param id column id; {@link #LSN_ID}, {@link #ROW_ID_ID}; or 0 if the sender gave no id, so that
 *     the name is used
 * @param name name
 * @param arrowType type and buffers
 * @param nullable whether values may be null
 */
public record ArrowField(int id, String name, ArrowType arrowType, boolean nullable) {
    /** Id of the hidden column {@code _lsn}. */
    public static final int LSN_ID = -1;

    /** Id of the hidden column {@code _row_id}. */
    public static final int ROW_ID_ID = -2;

    /** The hidden column of the LSN of a row's version. */
    public static final ArrowField LSN =
            new ArrowField(LSN_ID, ColumnSchema.LSN_NAME, ArrowType.of(ScalarType.BIGINT), false);

    /**
     * The hidden column of the generated key of a row without a primary key; null in tables with a
     * primary key.
     */
    public static final ArrowField ROW_ID =
            new ArrowField(
                    ROW_ID_ID, ColumnSchema.ROW_ID_NAME, ArrowType.of(ScalarType.BIGINT), true);

    public ArrowField {
        requireNonNull(name, "name is null");
        requireNonNull(arrowType, "arrowType is null");
    }

    public static ArrowField of(ColumnSchema column) {
        return new ArrowField(
                column.id(), column.name(), ArrowType.of(column.type()), column.nullable());
    }

    public DataType type() {
        return arrowType.type();
    }
}
