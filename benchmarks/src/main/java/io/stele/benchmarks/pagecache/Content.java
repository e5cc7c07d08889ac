package io.stele.benchmarks.pagecache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The generated content of the benchmark's files, of which each eight bytes follow from their
 * offset.
 */
final class Content {
    private Content() {}

    static long word(long offset) {
        long mixed = (offset + 1) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 29;
    }

    /** Fills {@code length} bytes, both multiples of eight. */
    static void fill(long offset, byte[] buffer, int bufferOffset, int length) {
        ByteBuffer target = ByteBuffer.wrap(buffer, bufferOffset, length);
        target.order(ByteOrder.LITTLE_ENDIAN);
        for (long next = offset; next < offset + length; next += Long.BYTES) {
            target.putLong(word(next));
        }
    }

    /** Compares one word in the middle; the same cheap check for every way to read. */
    static void check(long offset, byte[] buffer, int length) throws IOException {
        long at = (offset + length / 2) / Long.BYTES * Long.BYTES;
        long found =
                ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN).getLong((int) (at - offset));
        if (found != word(at)) {
            throw new IOException(
                    "Expected the word %x at offset %d, found %x".formatted(word(at), at, found));
        }
    }
}
