package io.stele.cache.page;

import java.util.Locale;

/**
 * The limits of a {@link PageCache} on fetches, and on fetched bytes that wait to be written. The
 * cache uses at most {@code maxFetches * maxFetchBytes + maxFillBytes} of heap for pages in flight.
 *
 * @param maxFetchBytes adjacent misses are fetched together up to this size; at least a page
 * @param maxFetches concurrent fetches of {@code maxFetchBytes}, or more smaller fetches with the
 *     same sum of bytes; further fetches wait
 * @param maxFillBytes fetched bytes that wait to be written into the store, or are being
 *     prefetched. Bytes that arrive while this limit is reached are not cached, because a reader
 *     must never wait for a slow disk. Half of it may wait until no fetch is in progress
 */
public record PageCacheOptions(int maxFetchBytes, int maxFetches, int maxFillBytes) {
    /**
     * 8 MiB: larger requests to an object store cost no less for each byte (8 to 16 MiB, AnyBlob,
     * Durner, Leis, Neumann, VLDB 2023). 128 MiB in flight; 128 MiB to be written, half of which
     * may wait for the end of fetches.
     */
    public static final PageCacheOptions DEFAULT = new PageCacheOptions(8 << 20, 16, 128 << 20);

    public PageCacheOptions {
        if (maxFetchBytes < 1 || maxFetches < 1 || maxFillBytes < 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected at least 1 byte a fetch, 1 fetch and 0 bytes to fill, found %d, %d and %d",
                            maxFetchBytes,
                            maxFetches,
                            maxFillBytes));
        }
    }
}
