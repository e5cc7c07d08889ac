package io.stele.cache.page;

/**
 * A range of a file that somebody wants in a buffer, seen page by page or unit by unit: by ranges
 * of the file that overlap it.
 *
 * @param file never read beyond its size
 */
record PageRead(CachedFile file, long offset, byte[] buffer, int bufferOffset, int length) {
    /** Behind the last byte. */
    long end() {
        return offset + length;
    }

    /** Where the wanted part of what begins at {@code start} begins in it. */
    int offsetIn(long start) {
        return (int) Math.max(0, offset - start);
    }

    /** Where the wanted part of what begins at {@code start} goes. */
    int offsetInBuffer(long start) {
        return bufferOffset + (int) Math.max(0, start - offset);
    }

    /** How much is wanted of what lies from {@code start} to {@code limit}. */
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
