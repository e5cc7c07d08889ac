package io.stele.columnfile.orc;

import io.stele.objectstore.NonBlocking;
import io.stele.protocol.row.BinaryRow;
import java.io.IOException;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.RecordReader;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the binary rows of a column file in file order, for scans, compactions and change
 * reads. It starts before the first row and reads the store. Confined to one thread.
 */
public final class ColumnFileCursor implements AutoCloseable {
    private final String path;
    private final RowAssembler rows;
    private final RecordReader reader;
    private final VectorizedRowBatch batch;
    private long batchStart;
    private int position = -1;
    private @Nullable BinaryRow current;

    ColumnFileCursor(String path, RowAssembler rows, RecordReader reader, int batchRows) {
        this.path = path;
        this.rows = rows;
        this.reader = reader;
        this.batch = rows.newBatch(batchRows);
        this.batch.size = 0;
    }

    /** Moves to the next row; false at the end. */
    public boolean advance() throws IOException {
        current = null;
        if (position + 1 < batch.size) {
            position++;
            return true;
        }
        NonBlocking.check(); // the library cannot continue after an interruption
        batchStart += batch.size;
        position = 0;
        if (!OrcErrors.translate(path, () -> reader.nextBatch(batch))) {
            batch.size = 0;
            position = -1;
            return false;
        }
        return true;
    }

    /**
     * Moves before the row of an ordinal, so that the next {@link #advance} is on it. Decodes the
     * skipped rows of its row group.
     */
    public void seek(int ordinal) throws IOException {
        OrcErrors.translate(
                path,
                () -> {
                    reader.seekToRow(ordinal);
                    return ordinal;
                });
        batch.size = 0;
        batchStart = ordinal;
        position = -1;
        current = null;
    }

    /** The current row's position in the file. */
    public int ordinal() {
        return Math.toIntExact(batchStart + requirePosition());
    }

    /** The current row in the layout of the reader's columns; valid until the cursor moves. */
    public BinaryRow row() {
        BinaryRow row = current;
        if (row == null) {
            row = rows.assemble(batch, requirePosition());
            current = row;
        }
        return row;
    }

    public long lsn() {
        return rows.lsn(batch, requirePosition());
    }

    /** The row id of a table without primary key; without meaning for others. */
    public long rowId() {
        return rows.rowId(batch, requirePosition(), ordinal());
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }

    private int requirePosition() {
        if (position < 0) {
            throw new IllegalStateException(
                    "Expected a cursor on a row, found it before the first or after the last");
        }
        return position;
    }
}
