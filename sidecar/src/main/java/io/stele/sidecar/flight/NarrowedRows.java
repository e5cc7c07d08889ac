package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.engine.scan.RowCursor;
import io.stele.protocol.api.scan.ColumnFields;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowMapping;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.List;

/**
 * A row cursor for a DoGet that reduces another cursor's rows to the wanted columns and the wanted
 * fields of row columns. Confined to one thread at a time.
 */
final class NarrowedRows implements RowCursor {
    private final RowCursor rows;
    private final TableSchema schema;
    private final RowMapping.Mapper mapper;
    private final BinaryRow row;

    private NarrowedRows(RowCursor rows, TableSchema schema) {
        this.rows = requireNonNull(rows, "rows is null");
        this.schema = requireNonNull(schema, "schema is null");
        RowLayout narrowed = RowLayout.of(schema.columns());
        this.mapper = RowMapping.of(RowLayout.of(rows.schema().columns()), narrowed).mapper();
        this.row = new BinaryRow(narrowed);
    }

    /**
     * Takes ownership of the cursor.
     *
     * @param columnIds stored columns that are wanted, including those of {@code fields}
     */
    static RowCursor of(RowCursor rows, List<Integer> columnIds, ColumnFields fields) {
        TableSchema whole = rows.schema();
        List<ColumnSchema> columns =
                columnIds.stream().distinct().map(whole::column).map(fields::of).toList();
        // Without keys, which a reader does not need
        TableSchema narrowed = whole.narrowedTo(columns).orientation(Orientation.COLUMN).build();
        return new NarrowedRows(rows, narrowed);
    }

    @Override
    public Step step() throws IOException {
        Step step = rows.step();
        if (step == Step.ROW) {
            BinaryRow whole = rows.row();
            row.wrap(mapper.map(whole.array(), whole.offset(), whole.length()));
        }
        return step;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public BinaryRow row() {
        return row;
    }

    @Override
    public long lsn() {
        return rows.lsn();
    }

    @Override
    public long rowId() {
        return rows.rowId();
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
