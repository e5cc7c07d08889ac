package io.stele.objectstore.retrieval;

/**
 * The present state of a {@link RetrievalBalance}, and its refusals since its creation.
 *
 * @param processors scans and compactions that read objects in order
 * @param aheadBytes fetched for them or in flight, and not processed yet
 * @param windowBytes the greatest number of bytes that the fastest processor may have ahead
 * @param processedBytesPerSecond that all processors would process if none waited for the store
 * @param retrievedBytesPerSecond in the best quarter of a second of the last ten seconds
 * @param latencyMillis of a range of the usual size, while the store is not busy with requests of
 *     this process
 * @param refused ranges that had to wait until more was processed, since the start
 */
public record BalanceStatistics(
        int processors,
        long aheadBytes,
        long windowBytes,
        long processedBytesPerSecond,
        long retrievedBytesPerSecond,
        double latencyMillis,
        long refused) {
    /** The statistics of a store without read-ahead. */
    public static final BalanceStatistics NONE = new BalanceStatistics(0, 0, 0, 0, 0, 0, 0);
}
