package io.stele.cache.page;

/**
 * A range of a file that a reader wants in a buffer, with the parts of it in each page or unit.
 *
 * @param file never read beyond its size
 */
record PageRead(CachedFile file, long offset, byte[] buffer, int bufferOffset, int length) {
    /** Behind the last byte. */
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
     * Copies the wanted part of what lies from {@code start} to {@code limit}.
     *
     * @param sourceOffset of the first byte of it
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
