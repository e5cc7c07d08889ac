package io.stele.storage.objectstore;

/**
 * What a reader of an object did.
 *
 * @param readBytes bytes given to its callers
 * @param requests reads of the store that took
 * @param fetchedBytes bytes of these; more than {@code readBytes} where whole pages are fetched
 *     into a cache, fewer where they were there
 */
public record ReadTally(long readBytes, long requests, long fetchedBytes) {
    /** Nothing. */
    public static final ReadTally NONE = new ReadTally(0, 0, 0);

    /** Both together. */
    public ReadTally plus(ReadTally other) {
        return new ReadTally(
                readBytes + other.readBytes,
                requests + other.requests,
                fetchedBytes + other.fetchedBytes);
    }
}
