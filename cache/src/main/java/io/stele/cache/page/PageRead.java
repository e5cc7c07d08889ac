package io.stele.cache.page;

/**
 * One read of the page cache: a range of a file, its target buffer, and the arithmetic of its parts
 * in each page or unit.
 *
 * @param file which is never read beyond its size
 */
record PageRead(CachedFile file, long offset, byte[] buffer, int bufferOffset, int length) {
    /** The end of the range in the file, exclusive. */
    long end() {
        return offset + length;
    }

    /** The offset of the wanted part in a piece of the file that begins at {@code start}. */
    int offsetIn(long start) {
        return (int) Math.max(0, offset - start);
    }

    /** The offset in the buffer for the wanted part of a piece that begins at {@code start}. */
    int offsetInBuffer(long start) {
        return bufferOffset + (int) Math.max(0, start - offset);
    }

    /** The length of the wanted part of a piece from {@code start} to {@code limit}. */
    int lengthIn(long start, long limit) {
        return (int) (Math.min(end(), limit) - start) - offsetIn(start);
    }

    /**
     * Copies the wanted part of the file's bytes from {@code start} to {@code limit} into the
     * buffer.
     *
     * @param sourceOffset of byte {@code start} in {@code source}
     */
    void copy(long start, long limit, byte[] source, int sourceOffset) {
        System.arraycopy(
                source,
                sourceOffset + offsetIn(start),
                buffer,
                offsetInBuffer(start),
                lengthIn(start, limit));
    }
}
