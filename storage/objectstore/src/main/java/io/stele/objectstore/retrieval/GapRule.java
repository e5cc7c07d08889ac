package io.stele.objectstore.retrieval;

/**
 * A rule for the greatest gap between two ranges that are read by one request. A gap is worth a
 * request if its bytes take at most a share of the time that another request takes, by the fitted
 * latencies of the store. Immutable.
 *
 * @param startBytes the gap for a store with the latencies of {@link LatencyFit#S3}, which sets the
 *     share: of 1.5 MiB, whose transfer takes as long as a request
 * @param minBytes the least gap, for a store whose requests are short
 * @param maxBytes the greatest gap, for a store whose requests are long
 */
public record GapRule(int startBytes, int minBytes, int maxBytes) {
    public GapRule {
        if (minBytes < 0 || startBytes < minBytes || maxBytes < startBytes) {
            throw new IllegalArgumentException(
                    "Expected 0 <= minBytes <= startBytes <= maxBytes, found %d, %d and %d"
                            .formatted(minBytes, startBytes, maxBytes));
        }
    }

    /** A rule for a gap that never changes. */
    public static GapRule fixed(int bytes) {
        return new GapRule(bytes, bytes, bytes);
    }

    /** The greatest gap in bytes for a store with these latencies. */
    public int bytes(LatencyFit latency) {
        double share = startBytes / LatencyFit.S3.bytesOfRequest();
        return (int) Math.clamp(Math.round(share * latency.bytesOfRequest()), minBytes, maxBytes);
    }
}
