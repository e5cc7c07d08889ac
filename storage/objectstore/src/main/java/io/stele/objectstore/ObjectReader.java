package io.stele.objectstore;

import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A reader of parts of one immutable object of known size, as data files are read. It need not be
 * closed; a caller that prefetches {@link #release releases} what it did not read. Safe for use by
 * many threads at once; calls block, as those of {@link ObjectStore} do.
 */
public interface ObjectReader {
    /**
     * Reads exactly {@code length} bytes at {@code offset} into {@code buffer}.
     *
     * @throws EOFException if the object ends before
     */
    void read(long offset, byte[] buffer, int bufferOffset, int length) throws IOException;

    /** Reads exactly {@code length} bytes at {@code offset}. */
    default byte[] read(long offset, int length) throws IOException {
        byte[] result = new byte[length];
        read(offset, result, 0, length);
        return result;
    }

    /**
     * Whether {@link #prefetch} fetches anything, so that it is worthwhile to compute the ranges of
     * later reads.
     */
    default boolean isPrefetching() {
        return false;
    }

    /**
     * Announces that a range will be read soon; does not wait.
     *
     * @return completes when the range can be read without waiting, with the bytes that this call
     *     fetched; never fails
     */
    default CompletableFuture<Long> prefetch(long offset, long length) {
        return CompletableFuture.completedFuture(0L);
    }

    /**
     * Frees the memory of prefetched ranges that end at or before a position, of which no more will
     * be read. After the release of all, nothing is prefetched any more.
     *
     * @param end {@code Long.MAX_VALUE}: all
     */
    default void release(long end) {}

    /** The memory of prefetched ranges in bytes, without what a data cache has. */
    default long retainedBytes() {
        return 0;
    }

    /**
     * A reader of the same object for a caller that reads all of it. Cached pages are used; a page
     * that is not cached enters the cache only if it was requested before.
     */
    default ObjectReader admittingOnSecondAccess() {
        return this;
    }

    /** The counters of this reader. */
    ReadTally tally();

    /**
     * The bytes of its reads that did not come from the store: those of a data cache, also the ones
     * that wait there to be written.
     */
    default long cachedBytes() {
        ReadTally tally = tally();
        return Math.max(0, tally.readBytes() - tally.fetchedBytes());
    }
}
