package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * The options of a download manager: limits on requests, bytes, bandwidth and buffers, hedging,
 * splitting and retries.
 *
 * @param minRequests requests in flight that are always allowed
 * @param maxRequests the greatest number of requests in flight
 * @param maxBytesInFlight bytes of all requests in flight together
 * @param bytesPerSecond the bandwidth limit, which the number of requests aims at
 * @param hedgeShare of the wanted bytes that hedges may cost; 0: there are none
 * @param hedgeBufferBytes the limit of all buffers for hedges
 * @param bulkBufferBytes the limit of all off-heap buffers through which large ranges reach the
 *     heap
 * @param planner of requests
 * @param gap the rule for the planner's gap, once latencies are measured
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
        GapRule gap,
        RetryPolicy retries) {
    /**
     * As {@link RangePlanner#DEFAULT} at the latencies of S3. 4 MiB: a quarter of the greatest
     * request may be bytes that nobody wants.
     */
    public static final GapRule DEFAULT_GAP =
            new GapRule(RangePlanner.DEFAULT.maxGapBytes(), 64 << 10, 4 << 20);

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
                    DEFAULT_GAP,
                    RetryPolicy.ofAttempts(11));

    public RetrievalOptions {
        requireNonNull(bytesPerSecond, "bytesPerSecond is null");
        requireNonNull(planner, "planner is null");
        requireNonNull(gap, "gap is null");
        requireNonNull(retries, "retries is null");
        if (minRequests < 1 || maxRequests < minRequests || maxBytesInFlight < 1) {
            throw new IllegalArgumentException(
                    "Expected 1 <= minRequests <= maxRequests and maxBytesInFlight >= 1, found %d, %d and %d"
                            .formatted(minRequests, maxRequests, maxBytesInFlight));
        }
    }

    /** These options with another retry policy. */
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
                gap,
                policy);
    }

    /** These options without hedges. */
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
                gap,
                retries);
    }

    /** These options with another planner, whose gap never changes. */
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
                GapRule.fixed(other.maxGapBytes()),
                retries);
    }
}
