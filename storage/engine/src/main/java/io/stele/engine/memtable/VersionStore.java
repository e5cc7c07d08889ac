package io.stele.engine.memtable;

import io.stele.engine.row.KeyedVersion;
import java.util.Arrays;

/**
 * An append-only array of row versions in memory, in the order of arrival, by index from 0. Fields
 * are in long arrays; keys and rows stay in the byte arrays of their batches. So a version needs no
 * object.
 *
 * <p>One writer. Readers on any thread may read any index that was published to them by a volatile
 * or release write after {@link #add}. Existing versions do not change.
 */
final class VersionStore {
    /** The memory of a version without its key and its row, in bytes. */
    static final int OVERHEAD_BYTES = VersionStore.WORDS * Long.BYTES;

    /** The value for no index. */
    static final int NONE = -1;

    private static final int CHUNK_BITS = 9;
    private static final int CHUNK_SIZE = 1 << CHUNK_BITS; // 24 KiB, the least memory of a memtable
    private static final int WORDS = 6;
    private static final int PREFIX = 0;
    private static final int LSN = 1;
    private static final int KEY = 2; // offset, length
    private static final int ROW = 3; // offset, length
    private static final int ARRAYS = 4; // of key, of row
    private static final int OLDER = 5;

    private long[][] chunks = new long[4][];
    private byte[][] arrays = new byte[16][];
    private int arrayCount;
    private int size;

    /** The number of added versions; for the writer only. */
    int size() {
        return size;
    }

    /**
     * Adds a version and returns its index.
     *
     * @param older index of the so far newest version of the key, or {@link #NONE}
     */
    int add(KeyedVersion version, int older) {
        int index = size;
        int chunk = index >>> CHUNK_BITS;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunks.length * 2);
        }
        if ((index & (CHUNK_SIZE - 1)) == 0) {
            chunks[chunk] = new long[CHUNK_SIZE * WORDS];
        }
        long[] words = chunks[chunk];
        int at = at(index);
        words[at + PREFIX] = version.prefix();
        words[at + LSN] = version.lsn();
        words[at + KEY] = pair(version.keyOffset(), version.keyLength());
        words[at + ROW] = pair(version.rowOffset(), version.storedRowLength());
        int keyArray = array(version.keyArray());
        int rowArray =
                version.rowArray() == version.keyArray() ? keyArray : array(version.rowArray());
        words[at + ARRAYS] = pair(keyArray, rowArray);
        words[at + OLDER] = older;
        size = index + 1;
        return index;
    }

    // Rows of a batch are in one array and are added in sequence.
    private int array(byte[] array) {
        if (arrayCount > 0 && arrays[arrayCount - 1] == array) {
            return arrayCount - 1;
        }
        if (arrayCount == arrays.length) {
            arrays = Arrays.copyOf(arrays, arrayCount * 2);
        }
        arrays[arrayCount] = array;
        return arrayCount++;
    }

    long prefix(int index) {
        return words(index)[at(index) + PREFIX];
    }

    long lsn(int index) {
        return words(index)[at(index) + LSN];
    }

    /** The index of the next older version of the key, or {@link #NONE}. */
    int older(int index) {
        return (int) words(index)[at(index) + OLDER];
    }

    KeyedVersion version(int index) {
        long[] words = words(index);
        int at = at(index);
        long key = words[at + KEY];
        long row = words[at + ROW];
        long places = words[at + ARRAYS];
        byte[][] present = arrays;
        return KeyedVersion.stored(
                words[at + PREFIX],
                present[first(places)],
                first(key),
                second(key),
                words[at + LSN],
                present[second(places)],
                first(row),
                second(row));
    }

    boolean hasKey(int index, byte[] array, int offset, int length) {
        long[] words = words(index);
        int at = at(index);
        long key = words[at + KEY];
        return second(key) == length
                && Arrays.equals(
                        arrays[first(words[at + ARRAYS])],
                        first(key),
                        first(key) + length,
                        array,
                        offset,
                        offset + length);
    }

    boolean isSameKey(int index, int other) {
        return prefix(index) == prefix(other) && compareKeys(index, other) == 0;
    }

    /** Compares versions by key only, as unsigned bytes. */
    int compareKeys(int index, int other) {
        long[] words = words(index);
        long[] otherWords = words(other);
        int at = at(index);
        int otherAt = at(other);
        if (words[at + PREFIX] != otherWords[otherAt + PREFIX]) {
            return Long.compareUnsigned(words[at + PREFIX], otherWords[otherAt + PREFIX]);
        }
        long key = words[at + KEY];
        long otherKey = otherWords[otherAt + KEY];
        return Arrays.compareUnsigned(
                arrays[first(words[at + ARRAYS])],
                first(key),
                first(key) + second(key),
                arrays[first(otherWords[otherAt + ARRAYS])],
                first(otherKey),
                first(otherKey) + second(otherKey));
    }

    private long[] words(int index) {
        return chunks[index >>> CHUNK_BITS];
    }

    private static int at(int index) {
        return (index & (CHUNK_SIZE - 1)) * WORDS;
    }

    private static long pair(int first, int second) {
        return ((long) first << Integer.SIZE) | (second & 0xFFFF_FFFFL);
    }

    private static int first(long pair) {
        return (int) (pair >>> Integer.SIZE);
    }

    private static int second(long pair) {
        return (int) pair;
    }
}
