package io.stele.objectstore;

/**
 * Counters of an object reader since it was opened: bytes, requests and waits.
 *
 * @param readBytes bytes given to its callers
 * @param requests reads of the store that this took
 * @param fetchedBytes bytes of these; more than {@code readBytes} where whole pages are fetched
 *     into a cache, fewer where pages were cached
 * @param waits reads that had to wait for the store, also for what another reader or a prefetch had
 *     requested. A caller that reads one range after the other waits so many rounds
 */
public record ReadTally(long readBytes, long requests, long fetchedBytes, long waits) {
    /** Nothing. */
    public static final ReadTally NONE = new ReadTally(0, 0, 0, 0);

    /** Both together. */
    public ReadTally plus(ReadTally other) {
        return new ReadTally(
                readBytes + other.readBytes,
                requests + other.requests,
                fetchedBytes + other.fetchedBytes,
                waits + other.waits);
    }
}
