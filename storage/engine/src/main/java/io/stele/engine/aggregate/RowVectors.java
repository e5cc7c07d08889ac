package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.engine.scan.RowCursor;
import io.stele.objectstore.NonBlocking;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.PhysicalForm;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A vector source that copies the rows of a cursor, from memtables and SST files, into vectors.
 * Confined to one thread at a time.
 */
final class RowVectors implements VectorSource {
    /**
     * The rows of a batch. Fewer than in a column file's batch, since a row that is merged and
     * copied alone is more work.
     */
    private static final int ROWS = 1024;

    private final NonBlocking.Read<RowCursor> opener;
    private final int[] indexes;
    private final PhysicalForm[] forms;
    private final ValueVector[] vectors;
    private @Nullable RowCursor cursor;
    private boolean full; // the vectors have a batch that was returned
    private boolean ended;
    private int size;

    /**
     * @param opener opens the cursor; called again in a thread that may wait if it must wait
     * @param layout of the cursor's rows
     */
    RowVectors(NonBlocking.Read<RowCursor> opener, RowLayout layout, List<ColumnSchema> columns) {
        this.opener = requireNonNull(opener, "opener is null");
        this.indexes = new int[columns.size()];
        this.forms = new PhysicalForm[columns.size()];
        this.vectors = new ValueVector[columns.size()];
        for (int slot = 0; slot < indexes.length; slot++) {
            ColumnSchema column = columns.get(slot);
            indexes[slot] = layout.indexOf(column.id());
            forms[slot] = column.type().form();
            vectors[slot] = ValueVector.allocate(VectorKind.of(column.type()), ROWS);
        }
    }

    @Override
    public boolean load() throws IOException {
        if (full) {
            full = false;
            size = 0;
            for (ValueVector vector : vectors) {
                vector.hasNulls = false;
            }
        }
        RowCursor rows = cursor;
        if (rows == null) {
            rows = opener.read();
            cursor = rows;
        }
        while (size < ROWS && !ended) {
            switch (rows.step()) {
                case ROW -> append(rows.row());
                case NONE -> {}
                case END -> ended = true;
            }
        }
        full = true;
        return size > 0;
    }

    private void append(BinaryRow row) {
        for (int slot = 0; slot < vectors.length; slot++) {
            ValueVector vector = vectors[slot];
            int index = indexes[slot];
            boolean isNull = row.isNull(index);
            vector.nulls[size] = isNull;
            vector.hasNulls |= isNull;
            if (!isNull) {
                copy(row, index, forms[slot], vector, size);
            }
        }
        size++;
    }

    /**
     * Copies a value of a row to a position of a vector.
     *
     * @param index of the value in the row, where it must not be null
     */
    static void copy(BinaryRow row, int index, PhysicalForm form, ValueVector vector, int at) {
        switch (form) {
            case BOOLEAN -> vector.longs[at] = row.booleanAt(index) ? 1 : 0;
            case FLOAT32 -> vector.doubles[at] = row.floatAt(index);
            case FLOAT64 -> vector.doubles[at] = row.doubleAt(index);
            case INT128 -> {
                vector.longs[at] = row.lowAt(index);
                vector.highs[at] = row.highAt(index);
            }
            case BYTES -> {
                byte[] value = row.bytesAt(index);
                vector.bytes[at] = value;
                vector.starts[at] = 0;
                vector.lengths[at] = value.length;
            }
            default -> vector.longs[at] = row.longAt(index);
        }
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public ValueVector column(int slot) {
        return vectors[slot];
    }

    @Override
    public int select(int[] rows) {
        for (int row = 0; row < size; row++) {
            rows[row] = row;
        }
        return size;
    }

    @Override
    public void close() throws IOException {
        RowCursor rows = cursor;
        cursor = null;
        if (rows != null) {
            rows.close();
        }
    }
}
