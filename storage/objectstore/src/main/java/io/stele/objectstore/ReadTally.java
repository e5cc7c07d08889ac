package io.stele.objectstore;

/**
 * Counters of an object reader since it was opened: bytes, requests and waits.
 *
 * @param readBytes bytes delivered to its callers
 * @param requests requests to the store for them
 * @param fetchedBytes bytes of these requests; more than {@code readBytes} where whole pages are
 *     fetched into a cache, fewer where pages were cached
 * @param waits reads that had to wait for the store, also for bytes that another reader or a
 *     prefetch had requested: the round trips of a caller that reads one range after the other
 */
public record ReadTally(long readBytes, long requests, long fetchedBytes, long waits) {
    /** The tally of no reads. */
    public static final ReadTally NONE = new ReadTally(0, 0, 0, 0);

    /** The sum of both tallies. */
    public ReadTally plus(ReadTally other) {
        return new ReadTally(
                readBytes + other.readBytes,
                requests + other.requests,
                fetchedBytes + other.fetchedBytes,
                waits + other.waits);
    }
}
