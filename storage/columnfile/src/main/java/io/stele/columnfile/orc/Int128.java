package io.stele.columnfile.orc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A codec of 128-bit numbers, such as UUIDs and long decimals, between two longs and 16 bytes, most
 * significant first.
 */
public final class Int128 {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Int128() {}

    public static void put(byte[] target, long high, long low) {
        LONG.set(target, 0, high);
        LONG.set(target, 8, low);
    }

    static long high(byte[] source, int offset) {
        return (long) LONG.get(source, offset);
    }

    static long low(byte[] source, int offset) {
        return (long) LONG.get(source, offset + 8);
    }
}
