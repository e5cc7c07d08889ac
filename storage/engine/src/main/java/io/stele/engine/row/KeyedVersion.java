package io.stele.engine.row;

import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One version of one row in memory: a key, an LSN, and the row's bytes or the fact that it was
 * deleted.
 *
 * <p>Key and row are slices of arrays of other objects, such as a received batch; nothing is
 * copied. Immutable as long as these arrays are not written to.
 *
 * <p>Ordered by key (unsigned bytes) ascending, then by LSN descending, so the newest version of a
 * key comes first. The first 16 key bytes are stored as numbers: most comparisons end there without
 * touching the array.
 */
public final class KeyedVersion implements Comparable<KeyedVersion> {
    /**
     * The memory of a version beyond its bytes: the object, its skip list node and its share of the
     * index levels.
     */
    public static final int OVERHEAD_BYTES = 128;

    private static final VarHandle WORDS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int DELETED = -1;
    private static final int PREFIX_BYTES =
            16; // two longs: keys like "user" and 19 digits differ within them

    private final long prefix; // key bytes 0 to 7, zero-padded
    private final long nextPrefix; // key bytes 8 to 15, zero-padded
    private final byte[] keyArray;
    private final byte[] rowArray;
    private final int keyOffset;
    private final int keyLength;
    private final int rowOffset;
    private final int rowLength; // DELETED for a tombstone
    private final long lsn;

    private KeyedVersion(
            long prefix,
            byte[] keyArray,
            int keyOffset,
            int keyLength,
            long lsn,
            byte[] rowArray,
            int rowOffset,
            int rowLength) {
        this.keyArray = requireNonNull(keyArray, "keyArray is null");
        this.keyOffset = keyOffset;
        this.keyLength = keyLength;
        this.lsn = lsn;
        this.rowArray = requireNonNull(rowArray, "rowArray is null");
        this.rowOffset = rowOffset;
        this.rowLength = rowLength;
        this.prefix = prefix;
        this.nextPrefix = prefix(keyArray, keyOffset + Long.BYTES, keyLength - Long.BYTES);
    }

    /** A version with a value. */
    public static KeyedVersion live(
            byte[] keyArray,
            int keyOffset,
            int keyLength,
            long lsn,
            byte[] rowArray,
            int rowOffset,
            int rowLength) {
        return new KeyedVersion(
                prefix(keyArray, keyOffset, keyLength),
                keyArray,
                keyOffset,
                keyLength,
                lsn,
                rowArray,
                rowOffset,
                rowLength);
    }

    /** A tombstone: from {@code lsn} on the key has no row. */
    public static KeyedVersion deleted(byte[] keyArray, int keyOffset, int keyLength, long lsn) {
        return new KeyedVersion(
                prefix(keyArray, keyOffset, keyLength),
                keyArray,
                keyOffset,
                keyLength,
                lsn,
                keyArray,
                keyOffset,
                DELETED);
    }

    /**
     * A version that sorts just before or at the newest version of a key that a reader at {@code
     * lsn} may see.
     */
    public static KeyedVersion probe(byte[] keyArray, int keyOffset, int keyLength, long lsn) {
        return deleted(keyArray, keyOffset, keyLength, lsn);
    }

    /**
     * A version as a {@code VersionStore} stores it.
     *
     * @param prefix {@link #prefix()} of the key
     * @param storedRowLength {@link #storedRowLength()} of it
     */
    public static KeyedVersion stored(
            long prefix,
            byte[] keyArray,
            int keyOffset,
            int keyLength,
            long lsn,
            byte[] rowArray,
            int rowOffset,
            int storedRowLength) {
        return new KeyedVersion(
                prefix, keyArray, keyOffset, keyLength, lsn, rowArray, rowOffset, storedRowLength);
    }

    /** {@link #prefix(byte[], int, int)} of the key. */
    public long prefix() {
        return prefix;
    }

    /** The row's length, or the marker of a tombstone. */
    public int storedRowLength() {
        return rowLength;
    }

    /** The same version with its row in other bytes. */
    public KeyedVersion withRow(byte[] row) {
        return live(keyArray, keyOffset, keyLength, lsn, row, 0, row.length);
    }

    public long lsn() {
        return lsn;
    }

    public boolean isDeleted() {
        return rowLength == DELETED;
    }

    public byte[] keyArray() {
        return keyArray;
    }

    public int keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    /** A copy of the key. */
    public byte[] key() {
        return Arrays.copyOfRange(keyArray, keyOffset, keyOffset + keyLength);
    }

    public byte[] rowArray() {
        return rowArray;
    }

    public int rowOffset() {
        return rowOffset;
    }

    /** Length of the row in bytes; 0 for a tombstone. */
    public int rowLength() {
        return Math.max(rowLength, 0);
    }

    /** A copy of the row. */
    public byte[] row() {
        return Arrays.copyOfRange(rowArray, rowOffset, rowOffset + rowLength());
    }

    /** About the bytes that this version uses in memory. */
    public int memoryBytes() {
        return OVERHEAD_BYTES + keyLength + rowLength();
    }

    public boolean hasKey(byte[] key, int offset, int length) {
        return Arrays.equals(
                keyArray, keyOffset, keyOffset + keyLength, key, offset, offset + length);
    }

    public boolean startsWith(byte[] prefix) {
        return keyLength >= prefix.length
                && Arrays.equals(
                        keyArray, keyOffset, keyOffset + prefix.length, prefix, 0, prefix.length);
    }

    /** Compares the keys alone. */
    public int compareKey(KeyedVersion other) {
        if (prefix != other.prefix) {
            return Long.compareUnsigned(prefix, other.prefix);
        }
        if (nextPrefix != other.nextPrefix) {
            return Long.compareUnsigned(nextPrefix, other.nextPrefix);
        }
        if (keyLength <= PREFIX_BYTES || other.keyLength <= PREFIX_BYTES) {
            return Integer.compare(
                    keyLength, other.keyLength); // one is the other with zeros behind it
        }
        return Arrays.compareUnsigned(
                keyArray,
                keyOffset + PREFIX_BYTES,
                keyOffset + keyLength,
                other.keyArray,
                other.keyOffset + PREFIX_BYTES,
                other.keyOffset + other.keyLength);
    }

    @Override
    public int compareTo(KeyedVersion other) {
        int byKey = compareKey(other);
        return byKey != 0 ? byKey : Long.compare(other.lsn, lsn);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeyedVersion version && compareTo(version) == 0;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(prefix) * 31 + Long.hashCode(lsn);
    }

    /** The first eight bytes of a key as a big-endian number, with zeros behind its end. */
    public static long prefix(byte[] array, int offset, int length) {
        if (length >= Long.BYTES) {
            return (long) WORDS.get(array, offset);
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            value |= (array[offset + i] & 0xFFL) << (56 - 8 * i);
        }
        return value;
    }
}
