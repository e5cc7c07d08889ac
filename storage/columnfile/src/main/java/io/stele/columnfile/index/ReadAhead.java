package io.stele.columnfile.index;

import io.stele.objectstore.NonBlocking;
import java.io.IOException;

/**
 * A read-ahead buffer for sequential reads of a block file that bypass the block cache: it fetches
 * many consecutive blocks with one request. Confined to one thread at a time.
 */
final class ReadAhead {
    /**
     * 128 KiB: about twenty blocks per request, and little memory for each file of a compaction.
     */
    private static final int WINDOW_BYTES = 128 << 10;

    private byte[] window = new byte[0];
    private long windowOffset;

    /** The payload of a block, from the buffer if it is there. */
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
