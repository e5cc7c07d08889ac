package io.stele.columnfile.orc.write;

import io.stele.protocol.schema.DataType;
import java.util.Arrays;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;

/**
 * A copier of picked values of one column, in compactions, from the ORC vectors of several files to
 * the vector of a new file. It has one loop for each kind of vector. Confined to one thread.
 */
final class ColumnCopier {
    private final PickedRows picked;
    private final ColumnVector[] vectors; // by file

    ColumnCopier(PickedRows picked) {
        this.picked = picked;
        this.vectors = new ColumnVector[picked.files.size()];
    }

    /** Whether values of a type can be copied; nested types cannot. */
    static boolean copies(DataType type) {
        return !type.form().isNested();
    }

    /**
     * Copies the picked rows {@code [from, from + count)} of a column.
     *
     * @param column of the files' readers
     * @param at the target position of the first row; the target has no values from there on since
     *     its reset
     */
    void copy(int column, int from, int count, ColumnVector target, int at) {
        Arrays.setAll(vectors, file -> picked.files.get(file).column(column));
        switch (target) {
            case LongColumnVector longs -> copyLongs(from, count, longs, at);
            case BytesColumnVector bytes -> copyBytes(from, count, bytes, at);
            case DoubleColumnVector doubles -> copyDoubles(from, count, doubles, at);
            default -> copyOthers(from, count, target, at);
        }
    }

    private void copyLongs(int from, int count, LongColumnVector target, int at) {
        for (int i = 0; i < count; i++) {
            ColumnVector source = vectors[picked.sources[from + i]];
            int position = position(source, from + i, target, at + i);
            if (position >= 0) {
                target.vector[at + i] = ((LongColumnVector) source).vector[position];
            }
        }
    }

    private void copyDoubles(int from, int count, DoubleColumnVector target, int at) {
        for (int i = 0; i < count; i++) {
            ColumnVector source = vectors[picked.sources[from + i]];
            int position = position(source, from + i, target, at + i);
            if (position >= 0) {
                target.vector[at + i] = ((DoubleColumnVector) source).vector[position];
            }
        }
    }

    private void copyBytes(int from, int count, BytesColumnVector target, int at) {
        for (int i = 0; i < count; i++) {
            ColumnVector source = vectors[picked.sources[from + i]];
            int position = position(source, from + i, target, at + i);
            if (position >= 0) {
                BytesColumnVector bytes = (BytesColumnVector) source;
                target.setVal(
                        at + i,
                        bytes.vector[position],
                        bytes.start[position],
                        bytes.length[position]);
            }
        }
    }

    private void copyOthers(int from, int count, ColumnVector target, int at) {
        for (int i = 0; i < count; i++) {
            ColumnVector source = vectors[picked.sources[from + i]];
            int position = position(source, from + i, target, at + i);
            if (position >= 0) {
                target.setElement(at + i, position, source);
            }
        }
    }

    /**
     * The position of the value in its vector; below 0 if it is null, then sets null in the target.
     */
    private int position(ColumnVector source, int pick, ColumnVector target, int row) {
        int position = source.isRepeating ? 0 : picked.positions[pick];
        if (source.noNulls || !source.isNull[position]) {
            return position;
        }
        target.noNulls = false;
        target.isNull[row] = true;
        return -1;
    }
}
