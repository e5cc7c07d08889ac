package io.stele.cache.files;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Locale;

/** Positional reads and writes that are whole or fail. */
public final class Transfers {
    private Transfers() {}

    /**
     * Fills {@code target} from {@code position}.
     *
     * @param file what errors call the file
     * @throws EOFException if the file ends before
     */
    public static void readFully(FileChannel channel, long position, ByteBuffer target, Object file)
            throws IOException {
        long next = position;
        while (target.hasRemaining()) {
            int count = channel.read(target, next);
            if (count < 0) {
                throw new EOFException(
                        String.format(
                                Locale.ROOT,
                                "Expected %d more bytes, found the end of %s at offset %d",
                                target.remaining(),
                                file,
                                next));
            }
            next += count;
        }
    }

    /** Writes what remains of {@code source} at {@code position}. */
    public static void writeFully(FileChannel channel, long position, ByteBuffer source)
            throws IOException {
        long next = position;
        while (source.hasRemaining()) {
            next += channel.write(source, next);
        }
    }
}
