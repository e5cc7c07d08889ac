package io.stele.cache.page;

/**
 * Where pages are kept: bounded, and free to refuse or forget any of them at any time.
 *
 * <p>Nothing here fails: what cannot be read is a miss, what cannot be kept is not kept, and the
 * statistics say so. Calls block for disk I/O. Safe for use by many threads at once.
 *
 * <p>Invariant: {@link Outcome#HIT} means that the bytes are those that were put, checked against a
 * CRC32C by this very call; whatever happened to the disk, the process or the directory since.
 */
public interface PageStore extends AutoCloseable {
    /** How a read of a page ended. */
    enum Outcome {
        /** The bytes are in the buffer. */
        HIT,
        /** The page is not here; bytes of the buffer in the range are undefined. */
        MISS,
        /**
         * What lay here was not what had been put, or could not be read; the page was dropped, and
         * bytes of the buffer in the range are undefined.
         */
        DAMAGED
    }

    /** The size of a page, a power of two: the last page of a file may be shorter. */
    int pageBytes();

    /** How many full pages fit. */
    long maxPages();

    /** Whether anything can be kept at present: false while all directories are out. */
    boolean isAvailable();

    /** Whether the page is here now; counts as no use of it. */
    boolean contains(CachedFile file, long page);

    /**
     * Reads {@code length} bytes from {@code offset} in a page. Counts as a use of the page,
     * whether it is here or not.
     */
    Outcome read(
            CachedFile file, long page, int offset, byte[] buffer, int bufferOffset, int length);

    /**
     * Offers the content of a page; returns whether it is here now. A page that is here already is
     * left as it is.
     *
     * @param length the page's size, or the rest of the file in its last page
     */
    boolean put(CachedFile file, long page, byte[] bytes, int offset, int length);

    /** Forgets a page, for example one of a deleted file. */
    void remove(CachedFile file, long page);

    PageStoreStatistics statistics();

    /** Writes down what is needed to keep contents and recency, and ends. */
    @Override
    void close();
}
