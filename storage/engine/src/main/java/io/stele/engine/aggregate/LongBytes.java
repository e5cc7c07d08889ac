package io.stele.engine.aggregate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Access to big-endian longs in byte arrays, for 128-bit values of group keys. */
final class LongBytes {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private LongBytes() {}

    static void put(byte[] target, int at, long value) {
        LONGS.set(target, at, value);
    }

    static long get(byte[] source, int at) {
        return (long) LONGS.get(source, at);
    }
}
