package io.stele.engine.compaction.output;

import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.engine.row.KeyedVersion;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;

/**
 * A buffer of the keys of a column file whose rows are not in key order, which sorts them and
 * writes the file's key index. Confined to one thread.
 */
final class ClusteredKeys {
    /** The approximate limit of the memory for the keys of a file, in bytes. */
    static final long MAX_BYTES = 128L << 20;

    // Two LSNs, a start, and the boxed position while sorting.
    private static final int ENTRY_BYTES = 48;

    private byte[] bytes = new byte[1 << 12];
    private int[] starts = new int[1 << 8]; // starts[i + 1] is the end of key i
    private long[] lsns = new long[1 << 8];
    private long[] endLsns = new long[1 << 8];
    private int count;

    /** Adds the key of the next row of the file. */
    void add(KeyedVersion version, long endLsn) {
        int start = starts[count];
        int end = Math.addExact(start, version.keyLength());
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, (int) Math.min(bytes.length * 2L, 1 << 30)));
        }
        if (count + 2 > starts.length) {
            starts = Arrays.copyOf(starts, starts.length * 2);
            lsns = Arrays.copyOf(lsns, lsns.length * 2);
            endLsns = Arrays.copyOf(endLsns, endLsns.length * 2);
        }
        System.arraycopy(
                version.keyArray(), version.keyOffset(), bytes, start, version.keyLength());
        lsns[count] = version.lsn();
        endLsns[count] = endLsn;
        count++;
        starts[count] = end;
    }

    /** The approximate memory of the keys, in bytes. */
    long sizeBytes() {
        return starts[count] + (long) count * ENTRY_BYTES;
    }

    /** Writes all keys into an explicit index. */
    void writeTo(KeyIndexWriter index) throws IOException {
        Integer[] order = new Integer[count];
        Arrays.setAll(order, ordinal -> ordinal);
        // A worker's file may have two rows with one key and LSN, of which at most one is visible:
        // it is sorted first.
        Arrays.sort(
                order,
                ((Comparator<Integer>) this::compareKeys)
                        .thenComparing((a, b) -> Long.compare(lsns[b], lsns[a]))
                        .thenComparing((a, b) -> Long.compare(endLsns[b], endLsns[a])));
        for (int ordinal : order) {
            int start = starts[ordinal];
            index.add(bytes, start, starts[ordinal + 1] - start, ordinal);
        }
    }

    private int compareKeys(int a, int b) {
        return Arrays.compareUnsigned(
                bytes, starts[a], starts[a + 1], bytes, starts[b], starts[b + 1]);
    }
}
