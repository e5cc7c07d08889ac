package io.stele.protocol.api.status;

/**
 * The requests and bytes with which a process read for a scan, a query or a table.
 *
 * @param requests to the store, with hedges and repetitions
 * @param rounds the longest chain of requests of one scan, of which each began after the one before
 *     had ended
 * @param hedges requests that were sent because another one was late
 * @param storeBytes bytes that the store delivered
 * @param diskBytes bytes from the data cache on the process's disk
 * @param memoryBytes bytes of values found in the process's caches in memory
 */
public record ReadCounters(
        long requests,
        long rounds,
        long hedges,
        long storeBytes,
        long diskBytes,
        long memoryBytes) {
    /** The counters of no reads. */
    public static final ReadCounters NONE = new ReadCounters(0, 0, 0, 0, 0, 0);

    /** The sum of both; of rounds, which were side by side, the greatest. */
    public ReadCounters plus(ReadCounters other) {
        return new ReadCounters(
                requests + other.requests,
                Math.max(rounds, other.rounds),
                hedges + other.hedges,
                storeBytes + other.storeBytes,
                diskBytes + other.diskBytes,
                memoryBytes + other.memoryBytes);
    }
}
