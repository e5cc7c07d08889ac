package io.stele.cache.files;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Locale;

/** Positional reads and writes of file channels that transfer all bytes or throw. Stateless. */
public final class Transfers {
    /**
     * The piece size of transfers of heap buffers. For these, the JDK caches a direct buffer of the
     * size of the thread's largest transfer.
     */
    private static final int HEAP_BYTES = 256 << 10;

    private Transfers() {}

    /**
     * Fills {@code target} from {@code position}.
     *
     * @param file the name of the file for messages
     * @throws EOFException if the file ends before
     */
    public static void readFully(FileChannel channel, long position, ByteBuffer target, Object file)
            throws IOException {
        int limit = target.limit();
        long next = position;
        try {
            while (target.position() < limit) {
                target.limit(pieceEnd(target, limit));
                int count = channel.read(target, next);
                if (count < 0) {
                    throw new EOFException(
                            String.format(
                                    Locale.ROOT,
                                    "Expected %d more bytes, found the end of %s at offset %d",
                                    limit - target.position(),
                                    file,
                                    next));
                }
                next += count;
            }
        } finally {
            target.limit(limit); // callers repeat the read if the channel was closed meanwhile
        }
    }

    /** Writes the remaining bytes of {@code source} at {@code position}. */
    public static void writeFully(FileChannel channel, long position, ByteBuffer source)
            throws IOException {
        int limit = source.limit();
        long next = position;
        try {
            while (source.position() < limit) {
                source.limit(pieceEnd(source, limit));
                next += channel.write(source, next);
            }
        } finally {
            source.limit(limit);
        }
    }

    private static int pieceEnd(ByteBuffer buffer, int limit) {
        return buffer.isDirect()
                ? limit
                : (int) Math.min(limit, (long) buffer.position() + HEAP_BYTES);
    }
}
