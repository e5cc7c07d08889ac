package io.stele.cache.page;

/**
 * The bounded storage of a {@link PageCache}'s pages on local disks. It may refuse or drop any page
 * at any time.
 *
 * <p>Its calls do not fail. A page that cannot be read is a miss, and one that cannot be written is
 * not cached; the statistics count both. Calls block for disk I/O. Thread-safe.
 *
 * <p>Invariant: {@link Outcome#HIT} means that the bytes equal the bytes that were put, verified
 * with a CRC32C by this call. This holds even if the disk, the process or the directory failed
 * since then.
 */
public interface PageStore extends AutoCloseable {
    /** The outcome of a read of a page. */
    enum Outcome {
        /** The bytes are in the buffer. */
        HIT,
        /** Not all of the range is stored; the buffer's content in the range is undefined. */
        MISS,
        /**
         * The stored bytes were not the bytes that were put, or could not be read. The page was
         * dropped, and the buffer's content in the range is undefined.
         */
        DAMAGED
    }

    /** The size of a page, a power of two: the last page of a file may be shorter. */
    int pageBytes();

    /**
     * The size of a unit, the smallest amount that is cached. A page has units of this size, each
     * cached or not; the last one may be shorter. At most the size of a page.
     */
    int unitBytes();

    /** The number of full pages that fit into the store. */
    long maxPages();

    /** Whether the store can cache anything now: false while all directories are out of use. */
    boolean isAvailable();

    /** Whether some unit of the page is stored now; does not count as a use. */
    boolean contains(CachedFile file, long page);

    /**
     * Whether {@code length} bytes from {@code offset} in a page are stored now; does not count as
     * a use.
     */
    boolean contains(CachedFile file, long page, int offset, int length);

    /**
     * Reads {@code length} bytes from {@code offset} in a page; a miss if not all of their units
     * are stored. Counts as a use of the page, also on a miss.
     */
    Outcome read(
            CachedFile file, long page, int offset, byte[] buffer, int bufferOffset, int length);

    /**
     * Offers adjacent units of a page; returns whether they are stored now. Units that were stored
     * before do not change.
     *
     * @param pageOffset the start of the first unit in the page
     * @param length up to the end of a unit, of the page or of the file
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
