package io.stele.cache.page;

/**
 * A bounded store of the pages of a {@link PageCache}. It may refuse or drop any page at any time.
 *
 * <p>Its calls do not fail. A page that cannot be read is a miss, and one that cannot be written is
 * not cached; the statistics count both. Calls block for disk I/O. Thread-safe.
 *
 * <p>Invariant: {@link Outcome#HIT} means that the bytes are those that were put, checked against a
 * CRC32C by this very call. This holds even if the disk, the process or the directory failed since
 * then.
 */
public interface PageStore extends AutoCloseable {
    /** The outcome of a read of a page. */
    enum Outcome {
        /** The bytes are in the buffer. */
        HIT,
        /** Not all of it is here; bytes of the buffer in the range are undefined. */
        MISS,
        /**
         * The stored bytes were not those that were put, or could not be read. The page was
         * dropped, and the buffer's content in the range is undefined.
         */
        DAMAGED
    }

    /** The size of a page, a power of two: the last page of a file may be shorter. */
    int pageBytes();

    /**
     * The size of a unit, the smallest amount that is cached. A page has units of this size, each
     * cached or not; the last one may be shorter. At most a page.
     */
    int unitBytes();

    /** The number of full pages that fit. */
    long maxPages();

    /** Whether the store can cache anything now: false while all directories are out of use. */
    boolean isAvailable();

    /** Whether some unit of the page is here now; counts as no use of it. */
    boolean contains(CachedFile file, long page);

    /** Whether {@code length} bytes from {@code offset} in a page are here now; as no use of it. */
    boolean contains(CachedFile file, long page, int offset, int length);

    /**
     * Reads {@code length} bytes from {@code offset} in a page, a miss if not all of their units
     * are here. Counts as a use of the page, whether it is here or not.
     */
    Outcome read(
            CachedFile file, long page, int offset, byte[] buffer, int bufferOffset, int length);

    /**
     * Offers units of a page that lie side by side; returns whether they are here now. Units that
     * are here already are left as they are.
     *
     * @param pageOffset where they begin in the page: where a unit does
     * @param length up to where a unit ends, or the page, or the file
     */
    boolean put(CachedFile file, long page, int pageOffset, byte[] bytes, int offset, int length);

    /**
     * Offers a whole page, as {@link #put(CachedFile, long, int, byte[], int, int)} does.
     *
     * @param length the page's size, or the rest of the file in its last page
     */
    default boolean put(CachedFile file, long page, byte[] bytes, int offset, int length) {
        return put(file, page, 0, bytes, offset, length);
    }

    /** Removes a page, for example one of a deleted file. */
    void remove(CachedFile file, long page);

    PageStoreStatistics statistics();

    /** Writes the journal that preserves contents and recency, and closes. */
    @Override
    void close();
}
