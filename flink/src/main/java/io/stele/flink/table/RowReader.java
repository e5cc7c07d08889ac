package io.stele.flink.table;

import io.stele.flink.type.ValueConverter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * A converter of Stele's rows to Flink's rows of the declared columns. For one version of the
 * table. Immutable.
 */
public final class RowReader {
    private final int[] positions;
    private final ValueConverter[] converters;
    private final List<ChangeMetadata> metadata;

    private RowReader(int[] positions, ValueConverter[] converters, List<ChangeMetadata> metadata) {
        this.positions = positions;
        this.converters = converters;
        this.metadata = List.copyOf(metadata);
    }

    /**
     * A converter for rows with all columns of the table.
     *
     * @throws SteleException COLUMN_NOT_FOUND or TYPE_MISMATCH: a declared column was dropped, or
     *     its type changed, since the statement was planned
     */
    public static RowReader ofWholeRows(BoundTable table, TableSchema present) {
        return of(table, present, present.columns(), List.of());
    }

    /**
     * A converter for rows with only the declared columns, in order.
     *
     * @param metadata the metadata columns to add after them
     */
    public static RowReader ofDeclared(
            BoundTable table, TableSchema present, List<ChangeMetadata> metadata) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (int id : table.columnIds()) {
            columns.add(columnOf(table, present, id));
        }
        return of(table, present, columns, metadata);
    }

    private static RowReader of(
            BoundTable table,
            TableSchema present,
            List<ColumnSchema> rowColumns,
            List<ChangeMetadata> metadata) {
        List<LogicalType> types = table.declared().getChildren();
        List<Integer> ids = table.columnIds();
        int[] positions = new int[ids.size()];
        ValueConverter[] converters = new ValueConverter[ids.size()];
        for (int i = 0; i < positions.length; i++) {
            ColumnSchema column = columnOf(table, present, ids.get(i));
            positions[i] = rowColumns.indexOf(column);
            converters[i] = ValueConverter.toFlink(column.type(), types.get(i));
        }
        return new RowReader(positions, converters, metadata);
    }

    /** The current definition of a column. */
    static ColumnSchema columnOf(BoundTable table, TableSchema present, int columnId) {
        ColumnSchema planned = table.schema().column(columnId);
        ColumnSchema column =
                present.columns().stream()
                        .filter(candidate -> candidate.id() == columnId)
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.COLUMN_NOT_FOUND,
                                                "Expected column '%s' of table %s, which was dropped since the job was planned"
                                                        .formatted(
                                                                planned.name(),
                                                                present.qualifiedName())));
        if (!column.type().equals(planned.type())) {
            throw new SteleException(
                    ErrorCode.TYPE_MISMATCH,
                    "Expected type %s of column '%s' of table %s, as when the job was planned, found %s"
                            .formatted(
                                    planned.type(),
                                    column.name(),
                                    present.qualifiedName(),
                                    column.type()));
        }
        return column;
    }

    /** The declared columns of a row. With metadata columns, use the other method. */
    public RowData read(List<? extends @Nullable Object> values) {
        return read(RowKind.INSERT, values);
    }

    /** The declared columns and the metadata of a row that a commit changed. */
    public RowData read(RowKind kind, Lsn lsn, List<? extends @Nullable Object> values) {
        GenericRowData row = read(kind, values);
        for (int i = 0; i < metadata.size(); i++) {
            row.setField(positions.length + i, metadata.get(i).of(lsn));
        }
        return row;
    }

    private GenericRowData read(RowKind kind, List<? extends @Nullable Object> values) {
        GenericRowData row = new GenericRowData(kind, positions.length + metadata.size());
        for (int i = 0; i < positions.length; i++) {
            row.setField(i, converters[i].convertNullable(values.get(positions[i])));
        }
        return row;
    }
}
