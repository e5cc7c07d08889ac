package io.stele.engine.row;

import io.stele.columnfile.metadata.SketchBuilder;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.PhysicalForm;
import io.stele.protocol.schema.TypeKind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A builder of the sketches of columns from rows, which are added one by one; it uses the hashes of
 * files' sketches. Confined to one thread.
 */
public final class RowSketches {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final List<Column> columns = new ArrayList<>();
    private final byte[] uuid = new byte[2 * Long.BYTES];

    public RowSketches(RowLayout layout) {
        for (int position : SketchBuilder.sketched(layout.columns())) {
            columns.add(
                    new Column(
                            position,
                            layout.columns().get(position).id(),
                            layout.type(position).kind(),
                            layout.type(position).form(),
                            new SketchBuilder()));
        }
    }

    /** Adds a row of the layout. */
    public void add(BinaryRow row) {
        for (Column column : columns) {
            if (!row.isNull(column.position)) {
                add(column, row);
            }
        }
    }

    private void add(Column column, BinaryRow row) {
        int at = column.position;
        SketchBuilder builder = column.builder;
        switch (column.kind) {
            case BOOLEAN -> builder.addLong(row.booleanAt(at) ? 1 : 0);
            case TINYINT, SMALLINT, INTEGER, BIGINT, DATE, TIME -> builder.addLong(row.longAt(at));
            case REAL -> builder.addDouble(row.floatAt(at));
            case DOUBLE -> builder.addDouble(row.doubleAt(at));
            case DECIMAL, TIMESTAMP, TIMESTAMP_WITH_TIME_ZONE -> {
                if (column.form == PhysicalForm.INT64) {
                    builder.addLong(row.longAt(at));
                } else {
                    builder.addInt128(row.highAt(at), row.lowAt(at));
                }
            }
            case VARCHAR, CHAR, VARBINARY, JSON ->
                    builder.addBytes(row.array(), row.bytesOffset(at), row.bytesLength(at));
            case UUID -> {
                LONG.set(uuid, 0, row.highAt(at));
                LONG.set(uuid, Long.BYTES, row.lowAt(at));
                builder.addBytes(uuid, 0, uuid.length);
            }
            case ARRAY, MAP, ROW ->
                    throw new IllegalStateException("Nested columns are not sketched");
        }
    }

    /** Column id to sketch of the rows so far. */
    public Map<Integer, ColumnSketch> sketches() {
        Map<Integer, ColumnSketch> sketches = new HashMap<>();
        columns.forEach(column -> sketches.put(column.id, column.builder.build()));
        return sketches;
    }

    private record Column(
            int position, int id, TypeKind kind, PhysicalForm form, SketchBuilder builder) {}
}
