package io.stele.protocol.row;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A reusable byte buffer that grows up to a limit, into which encoders write rows and keys without
 * allocation once it is large enough. Confined to one thread.
 *
 * <p>Invariant: {@code length <= array.length <= limit}.
 */
public final class GrowingBytes {
    static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle SHORTS_BE =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    static final VarHandle INTS_BE =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    static final VarHandle LONGS_BE =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final int limit;
    private final ErrorCode tooLarge;
    private final String what;

    byte[] array;
    int length;

    /**
     * @param initialCapacity bytes allocated at once
     * @param limit the most bytes
     * @param tooLarge the error if more would be written
     * @param what the name of the content, for the error's message
     */
    public GrowingBytes(int initialCapacity, int limit, ErrorCode tooLarge, String what) {
        if (initialCapacity < 0 || initialCapacity > limit) {
            throw new IllegalArgumentException(
                    "Expected a capacity of 0 to " + limit + " bytes, found " + initialCapacity);
        }
        this.limit = limit;
        this.tooLarge = tooLarge;
        this.what = what;
        this.array = new byte[initialCapacity];
    }

    /** A buffer for an encoded key. */
    public static GrowingBytes forKey() {
        return new GrowingBytes(64, KeyEncoder.MAX_KEY_BYTES, ErrorCode.KEY_TOO_LARGE, "key");
    }

    /** A buffer for an encoded row. */
    public static GrowingBytes forRow() {
        return new GrowingBytes(256, RowLayout.MAX_ROW_BYTES, ErrorCode.ROW_TOO_LARGE, "row");
    }

    /** A buffer for a stored row, or a value of it. */
    public static GrowingBytes forStored(String what) {
        return new GrowingBytes(16, RowLayout.MAX_STORED_ROW_BYTES, ErrorCode.ROW_TOO_LARGE, what);
    }

    /** The bytes; valid up to {@link #length()} and until the next write. */
    public byte[] array() {
        return array;
    }

    public int length() {
        return length;
    }

    /** Empties the content; the array is reused. */
    public void clear() {
        length = 0;
    }

    /** Drops the bytes after the first {@code newLength}; the array is reused. */
    public void truncate(int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IllegalArgumentException(
                    "Expected a length of 0 to " + length + " bytes, found " + newLength);
        }
        length = newLength;
    }

    /** A copy of the content. */
    public byte[] toByteArray() {
        return Arrays.copyOf(array, length);
    }

    public void append(byte[] source, int offset, int count) {
        int at = reserve(count);
        System.arraycopy(source, offset, array, at, count);
    }

    /** Reserves {@code count} more bytes of undefined content, and returns their offset. */
    int reserve(int count) {
        int at = length;
        if (count > array.length - at) {
            grow(count);
        }
        length = at + count;
        return at;
    }

    private void grow(int count) {
        long needed = (long) length + count;
        if (count < 0 || needed > limit) {
            throw new SteleException(
                    tooLarge,
                    "Expected a "
                            + what
                            + " of at most "
                            + limit
                            + " bytes, found at least "
                            + needed);
        }
        array = Arrays.copyOf(array, (int) Math.min(limit, Math.max(needed, 2L * array.length)));
    }
}
