package io.stele.cache.page;

import java.io.IOException;

/**
 * A loader of byte ranges of one file from its primary storage, which a page cache calls for
 * missing units. Thread-safe.
 */
@FunctionalInterface
public interface RangeLoader {
    /** Reads exactly {@code length} bytes at {@code offset} into {@code buffer}; may block. */
    void load(long offset, byte[] buffer, int bufferOffset, int length) throws IOException;
}
