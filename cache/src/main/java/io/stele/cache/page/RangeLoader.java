package io.stele.cache.page;

import java.io.IOException;

/** Reads ranges of one file from where it really lies. Safe for use by many threads at once. */
@FunctionalInterface
public interface RangeLoader {
    /** Reads exactly {@code length} bytes at {@code offset} into {@code buffer}; may block. */
    void load(long offset, byte[] buffer, int bufferOffset, int length) throws IOException;
}
