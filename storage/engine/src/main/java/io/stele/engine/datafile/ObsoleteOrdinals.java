package io.stele.engine.datafile;

import java.util.Arrays;

/**
 * The rows of one column file that write batches make obsolete, collected to be marked in its
 * deletion vector. Confined to one thread.
 */
final class ObsoleteOrdinals {
    private final ColumnFile file;
    private long[] rows = {}; // batch, ordinal
    private int count;

    ObsoleteOrdinals(ColumnFile file) {
        this.file = file;
    }

    void add(int batch, int ordinal) {
        if (count == rows.length) {
            rows = Arrays.copyOf(rows, Math.max(16, 2 * count));
        }
        rows[count++] = (long) batch << Integer.SIZE | ordinal;
    }

    /**
     * Marks the rows, except for batches below the file's LSNs.
     *
     * @param lsns of the batches, ascending
     */
    void mark(long[] lsns) {
        Arrays.sort(rows, 0, count);
        int[] ordinals = new int[count];
        for (int i = 0; i < count; ) {
            int batch = batch(i);
            int size = 0;
            for (; i < count && batch(i) == batch; i++) {
                ordinals[size++] = (int) rows[i];
            }
            if (file.entry().minLsn().value() <= lsns[batch]) {
                file.deletes().deleteAll(ordinals, size, lsns[batch]);
            }
        }
    }

    private int batch(int row) {
        return (int) (rows[row] >>> Integer.SIZE);
    }
}
