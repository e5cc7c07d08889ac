package io.stele.engine.index;

import io.stele.engine.row.EntryOrder;
import io.stele.engine.row.KeyedVersion;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * A sorted run of entries of a secondary index in memory. Keys lie one behind the other in one
 * array, so that an entry costs its key and {@value #OVERHEAD_BYTES} bytes and no object.
 * Immutable.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EntryRun(byte[] bytes, int[] ends, long[] lsns) {
    /** Bytes of an entry beyond its key: where it ends, and its LSN. */
    static final int OVERHEAD_BYTES = Integer.BYTES + Long.BYTES;

    /** A run of the first {@code count} given entries, which may be in any order. */
    static EntryRun sorted(byte[] bytes, int[] ends, long[] lsns, int count) {
        int[] order = EntryOrder.of(bytes, ends, lsns, count);
        byte[] sortedBytes = new byte[count == 0 ? 0 : ends[count - 1]];
        int[] sortedEnds = new int[count];
        long[] sortedLsns = new long[count];
        int length = 0;
        for (int i = 0; i < count; i++) {
            int place = order[i];
            int start = place == 0 ? 0 : ends[place - 1];
            System.arraycopy(bytes, start, sortedBytes, length, ends[place] - start);
            length += ends[place] - start;
            sortedEnds[i] = length;
            sortedLsns[i] = lsns[place];
        }
        return new EntryRun(sortedBytes, sortedEnds, sortedLsns);
    }

    /** A run of all entries of several runs, which must have less than 2 GiB together. */
    static EntryRun merged(List<EntryRun> runs) {
        int count = 0;
        int length = 0;
        for (EntryRun run : runs) {
            count += run.size();
            length = Math.addExact(length, run.bytes.length);
        }
        byte[] bytes = new byte[length];
        int[] ends = new int[count];
        long[] lsns = new long[count];
        int at = 0;
        int start = 0;
        for (EntryRun run : runs) {
            System.arraycopy(run.bytes, 0, bytes, start, run.bytes.length);
            System.arraycopy(run.lsns, 0, lsns, at, run.size());
            for (int end : run.ends) {
                ends[at++] = start + end;
            }
            start += run.bytes.length;
        }
        return sorted(bytes, ends, lsns, count); // the sort detects the sorted runs
    }

    int size() {
        return ends.length;
    }

    /** An iterator from the first entry at or after {@code prefix} on. */
    Iterator<KeyedVersion> from(byte[] prefix) {
        return new Entries(firstAtOrAfter(prefix));
    }

    /** Whether an entry begins with {@code prefix}. */
    boolean has(byte[] prefix) {
        int first = firstAtOrAfter(prefix);
        return first < size() && startsWith(first, prefix);
    }

    private int firstAtOrAfter(byte[] prefix) {
        int low = 0;
        int high = size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int start = start(middle);
            if (Arrays.compareUnsigned(bytes, start, ends[middle], prefix, 0, prefix.length) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean startsWith(int entry, byte[] prefix) {
        int start = start(entry);
        return ends[entry] - start >= prefix.length
                && Arrays.equals(bytes, start, start + prefix.length, prefix, 0, prefix.length);
    }

    private int start(int entry) {
        return entry == 0 ? 0 : ends[entry - 1];
    }

    private final class Entries implements Iterator<KeyedVersion> {
        private int next;

        private Entries(int first) {
            this.next = first;
        }

        @Override
        public boolean hasNext() {
            return next < size();
        }

        @Override
        public KeyedVersion next() {
            if (next == size()) {
                throw new NoSuchElementException("No entry left");
            }
            int start = start(next);
            KeyedVersion entry =
                    KeyedVersion.live(
                            bytes, start, ends[next] - start, lsns[next], bytes, start, 0);
            next++;
            return entry;
        }
    }
}
