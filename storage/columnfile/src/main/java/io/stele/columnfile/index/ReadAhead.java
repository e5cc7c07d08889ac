package io.stele.columnfile.index;

import io.stele.objectstore.NonBlocking;
import java.io.IOException;

/**
 * The bytes of a file from where a cursor is, read many blocks at a time: for what is read once and
 * in order, past the block cache. Confined to one thread at a time.
 */
final class ReadAhead {
    /**
     * 128 KiB: about twenty blocks per request, and little enough for each file of a compaction.
     */
    private static final int WINDOW_BYTES = 128 << 10;

    private byte[] window = new byte[0];
    private long windowOffset;

    /** The payload of a block, from memory where it was read already. */
    byte[] block(BlockFileReader file, BlockHandle handle) throws IOException {
        long from = handle.offset() - windowOffset;
        if (from < 0 || from + handle.length() > window.length) {
            NonBlocking.check();
            window = file.readFrom(handle, WINDOW_BYTES);
            windowOffset = handle.offset();
            from = 0;
        }
        return BlockFrame.decode(file.path(), handle.offset(), window, (int) from, handle.length());
    }
}
