package io.stele.objectstore.retrieval;

/**
 * Counters of a download manager since its creation, and its present state.
 *
 * @param requests sent: first ones, repeated ones and hedges
 * @param bytes delivered to readers
 * @param retries requests sent again after a failure
 * @param failures reads that failed in the end; reads that found no object, or the end of the
 *     object, are not counted
 * @param hedges second requests for late requests
 * @param hedgeWins hedges whose response began first
 * @param hedgesRefused hedges for which there was no budget or no buffer
 * @param wastedBytes that arrived twice because of hedges
 * @param sharedReads ranges that came with the request of another reader
 * @param requestsInFlight now, without hedges
 * @param bytesInFlight now, without hedges
 * @param waiting ranges that wait for admission
 * @param requestLimit the number of requests that the model allows in flight
 * @param baseLatencyMillis of the fitted model; that of S3 until something is measured
 * @param dataLatencyMillisPerMiB of the fitted model
 * @param bufferBytes allocated outside of the heap
 */
public record RetrievalStatistics(
        long requests,
        long bytes,
        long retries,
        long failures,
        long hedges,
        long hedgeWins,
        long hedgesRefused,
        long wastedBytes,
        long sharedReads,
        int requestsInFlight,
        long bytesInFlight,
        int waiting,
        int requestLimit,
        double baseLatencyMillis,
        double dataLatencyMillisPerMiB,
        long bufferBytes) {}
