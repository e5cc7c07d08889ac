package io.stele.objectstore.retrieval;

/**
 * A linear model of the usual duration of a request: {@code baseNanos + bytes * nanosPerByte}
 * (AnyBlob, section 2.8).
 *
 * @param baseNanos of any request, independent of its size
 * @param nanosPerByte for each byte of the response
 */
public record LatencyFit(double baseNanos, double nanosPerByte) {
    /** The latencies of S3, used until the first measurement: 30 ms and 20 ms a MiB. */
    public static final LatencyFit S3 = new LatencyFit(30e6, 20e6 / (1 << 20));

    public LatencyFit {
        if (!(baseNanos >= 0 && nanosPerByte >= 0)) {
            throw new IllegalArgumentException(
                    "Expected times of at least 0, found %s and %s"
                            .formatted(baseNanos, nanosPerByte));
        }
    }

    /** The time of a request for {@code bytes} bytes. */
    public double nanos(long bytes) {
        return baseNanos + bytes * nanosPerByte;
    }

    /**
     * The bytes whose transfer takes as long as a request takes without them; infinite if bytes
     * take no time.
     */
    double bytesOfRequest() {
        return nanosPerByte > 0 ? baseNanos / nanosPerByte : Double.POSITIVE_INFINITY;
    }
}
