package io.stele.objectstore.retrieval;

/**
 * A request that succeeded.
 *
 * @param bytes of its answer
 * @param firstByteNanos from its start until the answer began
 * @param nanos from its start to its end
 */
public record RequestSample(long bytes, long firstByteNanos, long nanos) {
    public RequestSample {
        if (bytes < 1 || firstByteNanos < 0 || nanos < firstByteNanos) {
            throw new IllegalArgumentException(
                    "Expected at least 1 byte and 0 <= firstByteNanos <= nanos, found %d, %d and %d"
                            .formatted(bytes, firstByteNanos, nanos));
        }
    }
}
