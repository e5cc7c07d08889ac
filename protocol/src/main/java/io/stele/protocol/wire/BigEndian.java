package io.stele.protocol.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A codec of fixed-width numbers of the framed protocol, in network byte order. */
final class BigEndian {
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    static int getInt(byte[] array, int offset) {
        return (int) INT.get(array, offset);
    }

    static void putInt(byte[] array, int offset, int value) {
        INT.set(array, offset, value);
    }

    static long getLong(byte[] array, int offset) {
        return (long) LONG.get(array, offset);
    }

    static void putLong(byte[] array, int offset, long value) {
        LONG.set(array, offset, value);
    }
}
