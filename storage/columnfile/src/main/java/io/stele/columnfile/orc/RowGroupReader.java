package io.stele.columnfile.orc;

import io.stele.protocol.row.BinaryRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.RecordReader;

/**
 * A reader of single rows from row groups of one stripe, whose compressed streams it holds in
 * memory: an entry of the cache for point reads. Thread-safe: guarded by its own lock.
 */
final class RowGroupReader {
    /**
     * The most rows between rows that are decoded together. A seek costs as much as decoding some
     * hundred rows.
     */
    private static final int MAX_WALKED_ROWS = 1024;

    /** 1 MiB: the memory of rows that are decoded together. */
    private static final long WALKED_BYTES = 1 << 20;

    private final String path;
    private final RowAssembler rows;
    private final RecordReader reader;
    private final VectorizedRowBatch batch;
    private final long weightBytes;
    private final int walkedRows;

    /**
     * @param weightBytes its approximate memory
     * @param rowBytes average memory of a decoded row
     */
    RowGroupReader(
            String path, RowAssembler rows, RecordReader reader, long weightBytes, long rowBytes) {
        this.path = path;
        this.rows = rows;
        this.reader = reader;
        this.batch = rows.newBatch(1);
        this.weightBytes = weightBytes;
        this.walkedRows = walkedRows(rowBytes);
    }

    /** The greatest distance, in rows, of rows that are decoded together. */
    static int walkedRows(long rowBytes) {
        return (int) Math.clamp(WALKED_BYTES / Math.max(1, rowBytes), 1, MAX_WALKED_ROWS);
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
        return row(batch, 0, ordinal);
    }

    private ColumnRow row(VectorizedRowBatch in, int position, int ordinal) {
        BinaryRow row = rows.assemble(in, position);
        return new ColumnRow(
                ordinal,
                rows.lsn(in, position),
                rows.rowId(in, position, ordinal),
                row.toByteArray());
    }

    /** Reads rows of one row group in ascending order. */
    synchronized void readAll(int[] ordinals, Consumer<ColumnRow> found) throws IOException {
        for (int first = 0; first < ordinals.length; ) {
            int end = first + 1;
            while (end < ordinals.length && ordinals[end] - ordinals[first] < walkedRows) {
                end++;
            }
            int from = first;
            int to = end;
            List<ColumnRow> rows = OrcErrors.translate(path, () -> readNear(ordinals, from, to));
            rows.forEach(found);
            first = end;
        }
    }

    /** Reads rows of one row group that are near each other. */
    private List<ColumnRow> readNear(int[] ordinals, int from, int to) throws IOException {
        if (to - from == 1) {
            return List.of(readRow(ordinals[from]));
        }
        List<ColumnRow> found = new ArrayList<>(to - from);
        int count = ordinals[to - 1] - ordinals[from] + 1;
        VectorizedRowBatch several = rows.newBatch(count);
        reader.seekToRow(ordinals[from]);
        int next = from;
        for (long base = ordinals[from]; next < to; base += several.size) {
            if (!reader.nextBatch(several)) {
                throw new IllegalStateException(
                        "Expected row " + ordinals[next] + " in its row group, found the end");
            }
            for (; next < to && ordinals[next] < base + several.size; next++) {
                found.add(row(several, (int) (ordinals[next] - base), ordinals[next]));
            }
        }
        return found;
    }

    long weightBytes() {
        return weightBytes;
    }
}
