package io.stele.storage.orc;

import io.stele.protocol.row.BinaryRow;
import java.io.IOException;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.RecordReader;

/**
 * Reads single rows of one row group, whose compressed streams it holds. Thread-safe: guarded by
 * its own lock.
 */
final class RowGroupReader {
    private final String path;
    private final RowAssembler rows;
    private final RecordReader reader;
    private final VectorizedRowBatch batch;
    private final long weightBytes;

    RowGroupReader(String path, RowAssembler rows, RecordReader reader, long weightBytes) {
        this.path = path;
        this.rows = rows;
        this.reader = reader;
        this.batch = rows.newBatch(1);
        this.weightBytes = weightBytes;
    }

    synchronized ColumnRow read(int ordinal) throws IOException {
        return OrcErrors.translate(path, () -> readRow(ordinal));
    }

    private ColumnRow readRow(int ordinal) throws IOException {
        reader.seekToRow(ordinal);
        if (!reader.nextBatch(batch)) {
            throw new IllegalStateException(
                    "Expected row " + ordinal + " in its row group, found the end");
        }
        BinaryRow row = rows.assemble(batch, 0);
        return new ColumnRow(
                ordinal, rows.lsn(batch, 0), rows.rowId(batch, 0, ordinal), row.toByteArray());
    }

    long weightBytes() {
        return weightBytes;
    }
}
