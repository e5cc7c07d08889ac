package io.stele.objectstore.retrieval;

/**
 * The size and duration of one successful request to a remote store, an input of the latency model.
 *
 * @param bytes of the response
 * @param firstByteNanos from the request's start until the response began
 * @param nanos from the request's start to the response's end
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
