package io.stele.protocol.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The 64-bit xxHash of bytes with seed 0 (https://github.com/Cyan4973/xxHash, XXH64): one multiply
 * and rotate per eight bytes, no allocation. It determines the shards of rows and stored filters,
 * so it never changes.
 */
public final class XxHash64 {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;

    private static final long PRIME_1_PLUS_2 = 0x60EA27EEADC0B5D6L;
    private static final long MINUS_PRIME_1 = 0x61C8864E7A143579L;

    private XxHash64() {}

    /** The hash of a text's UTF-8. */
    public static long hash(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return hash(bytes, 0, bytes.length);
    }

    public static long hash(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        int at = offset;
        int end = offset + length;
        long hash;
        if (length >= 32) {
            long accumulator1 = PRIME_1_PLUS_2;
            long accumulator2 = PRIME_2;
            long accumulator3 = 0;
            long accumulator4 = MINUS_PRIME_1;
            for (; at <= end - 32; at += 32) {
                accumulator1 = round(accumulator1, (long) LONGS.get(bytes, at));
                accumulator2 = round(accumulator2, (long) LONGS.get(bytes, at + 8));
                accumulator3 = round(accumulator3, (long) LONGS.get(bytes, at + 16));
                accumulator4 = round(accumulator4, (long) LONGS.get(bytes, at + 24));
            }
            hash =
                    Long.rotateLeft(accumulator1, 1)
                            + Long.rotateLeft(accumulator2, 7)
                            + Long.rotateLeft(accumulator3, 12)
                            + Long.rotateLeft(accumulator4, 18);
            hash =
                    merge(
                            merge(merge(merge(hash, accumulator1), accumulator2), accumulator3),
                            accumulator4);
        } else {
            hash = PRIME_5;
        }
        return finish(hash + length, bytes, at, end);
    }

    private static long finish(long start, byte[] bytes, int from, int end) {
        long hash = start;
        int at = from;
        for (; at <= end - 8; at += 8) {
            hash =
                    Long.rotateLeft(hash ^ round(0, (long) LONGS.get(bytes, at)), 27) * PRIME_1
                            + PRIME_4;
        }
        if (at <= end - 4) {
            hash =
                    Long.rotateLeft(hash ^ ((int) INTS.get(bytes, at) & 0xFFFF_FFFFL) * PRIME_1, 23)
                                    * PRIME_2
                            + PRIME_3;
            at += 4;
        }
        for (; at < end; at++) {
            hash = Long.rotateLeft(hash ^ (bytes[at] & 0xFF) * PRIME_5, 11) * PRIME_1;
        }
        hash = (hash ^ hash >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long round(long accumulator, long input) {
        return Long.rotateLeft(accumulator + input * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long accumulator) {
        return (hash ^ round(0, accumulator)) * PRIME_1 + PRIME_4;
    }
}
