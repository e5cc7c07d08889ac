package io.stele.columnfile.index;

import io.stele.columnfile.bytes.ByteSink;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * An in-memory array of ascending keys, packed for binary search in the index of a sorted file. All
 * bytes are in one array. A second array has, for each key, the eight bytes after the prefix that
 * all keys share. Most searches touch only these numbers, eight for each cache line, and one key at
 * the end. Immutable.
 */
final class SortedKeys {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Array headers and fields, in addition to the elements. */
    private static final int OVERHEAD_BYTES = 96;

    private final byte[] bytes;
    private final int[] ends;
    private final long[] heads;
    private final int sharedLength;

    private SortedKeys(byte[] bytes, int[] ends) {
        this.bytes = bytes;
        this.ends = ends;
        int count = ends.length;
        this.sharedLength = count == 0 ? 0 : shared(bytes, ends);
        this.heads = new long[count];
        for (int i = 0; i < count; i++) {
            heads[i] = head(bytes, start(i) + sharedLength, ends[i]);
        }
    }

    /** The keys of an entry block. */
    static SortedKeys of(EntryBlock block) {
        ByteSink keys = new ByteSink(block.bytes.length);
        int[] ends = new int[block.entryCount];
        EntryCursor cursor = new EntryCursor(block);
        for (int i = 0; cursor.next(); i++) {
            keys.writeBytes(cursor.keyArray(), 0, cursor.keyLength());
            ends[i] = keys.size();
        }
        return new SortedKeys(keys.toByteArray(), ends);
    }

    /** No keys. */
    static SortedKeys none() {
        return new SortedKeys(new byte[0], new int[0]);
    }

    int count() {
        return ends.length;
    }

    /** A copy of a key. */
    byte[] key(int index) {
        return Arrays.copyOfRange(bytes, start(index), ends[index]);
    }

    /** The position of the first key at or after {@code key}; {@link #count()} if there is none. */
    int firstAtOrAfter(byte[] key) {
        int count = ends.length;
        if (count == 0) {
            return 0;
        }
        int order = comparePrefix(key, bytes, 0, sharedLength);
        if (order != 0) {
            return order < 0 ? 0 : count;
        }
        return search(key, head(key, sharedLength, key.length));
    }

    private int search(byte[] key, long head) {
        int low = 0;
        int high = ends.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = Long.compareUnsigned(heads[middle], head);
            if (order == 0) {
                order =
                        Arrays.compareUnsigned(
                                bytes,
                                start(middle) + sharedLength,
                                ends[middle],
                                key,
                                sharedLength,
                                key.length);
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    long retainedBytes() {
        return bytes.length + 12L * ends.length + OVERHEAD_BYTES;
    }

    private int start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** The length of the prefix that the first and the last key, and so all keys, share. */
    private static int shared(byte[] bytes, int[] ends) {
        int last = ends.length - 1;
        int mismatch =
                Arrays.mismatch(
                        bytes, 0, ends[0], bytes, last == 0 ? 0 : ends[last - 1], ends[last]);
        return mismatch < 0 ? ends[0] : mismatch;
    }

    /**
     * Compares the first bytes of a key with {@code length} bytes of {@code others}. These are so
     * few that a call of {@link Arrays#mismatch} would cost more than the loop.
     */
    static int comparePrefix(byte[] key, byte[] others, int from, int length) {
        for (int i = 0; i < length; i++) {
            if (i == key.length) {
                return -1;
            }
            if (key[i] != others[from + i]) {
                return Byte.compareUnsigned(key[i], others[from + i]);
            }
        }
        return 0;
    }

    /** Bytes {@code [from, from + 8)} as a big-endian number, with zeros from {@code end} on. */
    static long head(byte[] bytes, int from, int end) {
        if (end - from >= Long.BYTES) {
            return (long) LONG.get(bytes, from);
        }
        long value = 0;
        for (int i = from; i < end; i++) {
            value |= (bytes[i] & 0xFFL) << (56 - 8 * (i - from));
        }
        return value;
    }
}
