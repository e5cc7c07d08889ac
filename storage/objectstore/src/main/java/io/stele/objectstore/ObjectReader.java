package io.stele.objectstore;

import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * One immutable object whose size is known, open to be read in pieces. It need not be closed. Safe
 * for use by many threads at once; calls block, as those of {@link ObjectStore} do.
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
     * Whether {@link #prefetch} brings anything nearer, so that it is worth to find out what will
     * be read.
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
     * The same object for a reader of all of it: what a cache has is found there, and what it has
     * not does not enter it unless it was wanted before.
     */
    default ObjectReader admittingOnSecondAccess() {
        return this;
    }

    /** The counters of this reader. */
    ReadTally tally();
}
