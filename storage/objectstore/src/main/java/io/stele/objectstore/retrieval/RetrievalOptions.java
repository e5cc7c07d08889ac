package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * Limits of a download manager.
 *
 * @param minRequests in flight that are always allowed
 * @param maxRequests in flight that are never exceeded
 * @param maxBytesInFlight of requests in flight together
 * @param bytesPerSecond that are not exceeded, and that the number of requests aims at
 * @param hedgeShare of the wanted bytes that hedges may cost; 0: there are none
 * @param hedgeBufferBytes of all buffers for hedges
 * @param bulkBufferBytes of all buffers by way of which large ranges come to the heap
 * @param planner of requests
 * @param retries of requests
 */
public record RetrievalOptions(
        int minRequests,
        int maxRequests,
        long maxBytesInFlight,
        OptionalLong bytesPerSecond,
        double hedgeShare,
        long hedgeBufferBytes,
        long bulkBufferBytes,
        RangePlanner planner,
        RetryPolicy retries) {
    /** The defaults of {@code retrieval.*}. */
    public static final RetrievalOptions DEFAULT =
            new RetrievalOptions(
                    32,
                    256,
                    1L << 30,
                    OptionalLong.empty(),
                    0.05,
                    128L << 20,
                    256L << 20,
                    RangePlanner.DEFAULT,
                    RetryPolicy.ofAttempts(11));

    public RetrievalOptions {
        requireNonNull(bytesPerSecond, "bytesPerSecond is null");
        requireNonNull(planner, "planner is null");
        requireNonNull(retries, "retries is null");
        if (minRequests < 1 || maxRequests < minRequests || maxBytesInFlight < 1) {
            throw new IllegalArgumentException(
                    "Expected 1 <= minRequests <= maxRequests and maxBytesInFlight >= 1, found %d, %d and %d"
                            .formatted(minRequests, maxRequests, maxBytesInFlight));
        }
    }

    /** The same with another way to try again. */
    public RetrievalOptions withRetries(RetryPolicy policy) {
        return new RetrievalOptions(
                minRequests,
                maxRequests,
                maxBytesInFlight,
                bytesPerSecond,
                hedgeShare,
                hedgeBufferBytes,
                bulkBufferBytes,
                planner,
                policy);
    }

    /** The same without hedges. */
    public RetrievalOptions withoutHedges() {
        return new RetrievalOptions(
                minRequests,
                maxRequests,
                maxBytesInFlight,
                bytesPerSecond,
                0,
                hedgeBufferBytes,
                bulkBufferBytes,
                planner,
                retries);
    }

    /** The same with another planner. */
    public RetrievalOptions withPlanner(RangePlanner other) {
        return new RetrievalOptions(
                minRequests,
                maxRequests,
                maxBytesInFlight,
                bytesPerSecond,
                hedgeShare,
                hedgeBufferBytes,
                bulkBufferBytes,
                other,
                retries);
    }
}
