package io.stele.storage.retrieval;

/**
 * What a download manager did since its start, and does now.
 *
 * @param requests sent: first ones, repeated ones and hedges
 * @param bytes delivered to readers
 * @param retries requests sent again after a failure
 * @param failures reads that failed in the end; those that found no object or its end are not among
 *     them
 * @param hedges second requests for what was late
 * @param hedgeWins hedges whose answer was the first
 * @param hedgesRefused hedges for which there was no budget or no buffer
 * @param wastedBytes that came twice because of hedges
 * @param sharedReads ranges that came with the request of another reader
 * @param requestsInFlight now, without hedges
 * @param bytesInFlight now, without hedges
 * @param waiting ranges that wait to be asked for
 * @param requestLimit how many requests may be in flight by the model
 * @param baseLatencyMillis of the fitted model; that of S3 until something is known
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
