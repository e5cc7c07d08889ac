package io.stele.protocol.arrow;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A growing in-memory buffer of an Arrow column under construction; bytes are zero until written.
 * Confined to one thread.
 *
 * <p>Invariant: the capacity is a multiple of 8, so that the array has room for the padding of the
 * finished buffer.
 */
final class GrowingBuffer {
    static final VarHandle SHORTS =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONGS_BE =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final byte[] EMPTY = new byte[0];
    private static final int FIRST_CAPACITY = 256;

    byte[] array = EMPTY;
    int length;

    /** The capacity of the previous buffer, so that the next one need not grow. */
    private int lastCapacity = FIRST_CAPACITY;

    /** Reserves {@code count} zero bytes, and returns their offset. */
    int reserve(int count) {
        int at = length;
        if (count > array.length - at) {
            grow((long) at + count);
        }
        length = at + count;
        return at;
    }

    private void grow(long needed) {
        if (needed > ArrowBatchEncoder.MAX_BATCH_BYTES) {
            throw new SteleException(
                    ErrorCode.ROW_TOO_LARGE,
                    "Expected a batch of at most "
                            + ArrowBatchEncoder.MAX_BATCH_BYTES
                            + " bytes, found at least "
                            + needed);
        }
        long capacity = Math.max(needed, array.length == 0 ? lastCapacity : 2L * array.length);
        array =
                Arrays.copyOf(
                        array, (int) Math.min(padded(capacity), ArrowBatchEncoder.MAX_BATCH_BYTES));
    }

    /** Returns the content, padded with zeros to a multiple of 8, and resets this buffer. */
    ByteBuffer take() {
        ByteBuffer content = ByteBuffer.wrap(array, 0, (int) padded(length)).slice();
        lastCapacity = Math.max(FIRST_CAPACITY, (int) padded(length));
        array = EMPTY;
        length = 0;
        return content;
    }

    void discard() {
        Arrays.fill(array, 0, length, (byte) 0);
        length = 0;
    }

    static long padded(long bytes) {
        return (bytes + 7) & ~7L;
    }
}
