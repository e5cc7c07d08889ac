package io.stele.columnfile.orc;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.NonBlocking;
import java.io.IOException;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.RecordReader;

/**
 * A cursor over a column file in file order, for compactions, in batches of column vectors that a
 * writer copies column by column, without binary rows. It starts before the first batch and reads
 * the store. Confined to one thread.
 */
public final class ColumnBatches implements AutoCloseable {
    private static final ColumnVector NULLS = nulls();

    private final String path;
    private final ColumnFileReader file;
    private final RowAssembler rows;
    private final RecordReader reader;
    private final VectorizedRowBatch batch;
    private int firstOrdinal;

    ColumnBatches(String path, ColumnFileReader file, RecordReader reader, int batchRows) {
        this.path = requireNonNull(path, "path is null");
        this.file = requireNonNull(file, "file is null");
        this.reader = requireNonNull(reader, "reader is null");
        this.rows = new RowAssembler(file);
        this.batch = rows.newBatch(batchRows);
        this.batch.size = 0;
    }

    /** Moves to the next batch; false at the end. Picks of the previous one are dropped. */
    public boolean advance() throws IOException {
        NonBlocking.check(); // the library cannot continue after an interruption
        firstOrdinal += batch.size;
        if (!OrcErrors.translate(path, () -> reader.nextBatch(batch))) {
            batch.size = 0;
            return false;
        }
        return true;
    }

    /** The number of rows of the batch. */
    public int size() {
        return batch.size;
    }

    /** The ordinal of the batch's first row. */
    public int firstOrdinal() {
        return firstOrdinal;
    }

    public long lsn(int position) {
        return rows.lsn(batch, position);
    }

    /** The row id of a table without primary key; without meaning for others. */
    public long rowId(int position) {
        return rows.rowId(batch, position, (long) firstOrdinal + position);
    }

    /** The values of a column of the reader; nulls if the file does not have the column. */
    public ColumnVector column(int index) {
        int position = file.position(index);
        return position == ColumnFileReader.ABSENT ? NULLS : batch.cols[position];
    }

    private static ColumnVector nulls() {
        ColumnVector nulls = new LongColumnVector(1);
        nulls.isRepeating = true;
        nulls.noNulls = false;
        nulls.isNull[0] = true;
        return nulls;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
