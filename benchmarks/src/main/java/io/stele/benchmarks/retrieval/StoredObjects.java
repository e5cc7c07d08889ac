package io.stele.benchmarks.retrieval;

import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The benchmark's stored objects, whose bytes follow from their number and offset, so that any part
 * can be checked.
 */
final class StoredObjects {
    private static final int PIECE_BYTES = 1 << 20;

    private StoredObjects() {}

    static String key(int number) {
        return "object-%05d".formatted(number);
    }

    /** Writes objects of a multiple of 1 MiB. */
    static void write(ObjectStore store, int count, int sizeBytes) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        for (int number = 0; number < count; number++) {
            try (ObjectWriter writer = store.create(key(number))) {
                for (int at = 0; at < sizeBytes; at += PIECE_BYTES) {
                    fill(number, at, piece);
                    writer.write(piece, 0, PIECE_BYTES);
                }
                writer.commit();
            }
        }
    }

    private static void fill(int number, long offset, byte[] piece) {
        ByteBuffer buffer = ByteBuffer.wrap(piece).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < piece.length; at += Long.BYTES) {
            buffer.putLong(word(number, offset + at));
        }
    }

    private static long word(int number, long offset) {
        long mixed = (offset + 1) * 0x9E3779B97F4A7C15L ^ number * 0xBF58476D1CE4E5B9L;
        return mixed ^ mixed >>> 29;
    }

    /** Compares every byte. */
    static void check(int number, long offset, ByteBuffer found) throws IOException {
        check(number, offset, found, Long.BYTES);
    }

    /** Compares a word of each 64 KiB: hardly any work beside that of the client. */
    static void sample(int number, long offset, ByteBuffer found) throws IOException {
        check(number, offset, found, 64 << 10);
    }

    private static void check(int number, long offset, ByteBuffer found, int step)
            throws IOException {
        ByteBuffer buffer = found.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < buffer.limit(); at += step) {
            if (buffer.getLong(at) != word(number, offset + at)) {
                throw new IOException(
                        "Expected the word %x at offset %d of object %d, found %x"
                                .formatted(
                                        word(number, offset + at),
                                        offset + at,
                                        number,
                                        buffer.getLong(at)));
            }
        }
    }
}
