package io.stele.cache.page;

/**
 * A range of a file that somebody wants in a buffer, seen page by page.
 *
 * @param file never read beyond its size
 */
record PageRead(
        CachedFile file, long offset, byte[] buffer, int bufferOffset, int length, int pageBytes) {
    long firstPage() {
        return offset / pageBytes;
    }

    /** Before the first, if nothing is wanted. */
    long lastPage() {
        return length == 0 ? firstPage() - 1 : (offset + length - 1) / pageBytes;
    }

    /** Where the wanted part of a page begins in it. */
    int offsetInPage(long page) {
        return (int) Math.max(0, offset - page * pageBytes);
    }

    /** Where the wanted part of a page goes. */
    int offsetInBuffer(long page) {
        return bufferOffset + (int) Math.max(0, page * pageBytes - offset);
    }

    /** How much of a page is wanted. */
    int lengthInPage(long page) {
        long end = Math.min(offset + length, (page + 1) * pageBytes);
        return (int) (end - page * pageBytes) - offsetInPage(page);
    }

    /** Copies the wanted part of a page. */
    void copy(long page, byte[] source, int pageOffset) {
        System.arraycopy(
                source,
                pageOffset + offsetInPage(page),
                buffer,
                offsetInBuffer(page),
                lengthInPage(page));
    }
}
