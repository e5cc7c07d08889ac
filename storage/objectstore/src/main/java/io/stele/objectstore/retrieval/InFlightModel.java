package io.stele.objectstore.retrieval;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A model of the optimal number of requests in flight to a remote store: {@code throughput *
 * (baseLatency + size * dataLatency) / size} (AnyBlob, section 2.8), within limits. Thread-safe:
 * guarded by its own lock.
 *
 * <p>The latencies are the least of recent fits. Latencies of a saturated network contain the queue
 * of this process, and more requests would only make that queue longer. The throughput is the
 * configured one or else twice the highest recent one. This leaves room to find out whether the
 * store gives more.
 */
public final class InFlightModel {
    /** Each fit is eight requests: the least of some hundred. */
    private static final int FITS = 16;

    private static final double ROOM = 2;

    private final int min;
    private final int max;
    private final OptionalLong targetBytesPerSecond;
    private final Deque<LatencyFit> fits = new ArrayDeque<>();
    private int limit;

    /**
     * @param min requests that are always allowed
     * @param max requests that are never exceeded
     * @param initial requests before the first measurement
     * @param targetBytesPerSecond throughput of the network, if known
     */
    InFlightModel(int min, int max, int initial, OptionalLong targetBytesPerSecond) {
        if (min < 1 || initial < min || max < initial) {
            throw new IllegalArgumentException(
                    "Expected 1 <= min <= initial <= max, found %d, %d and %d"
                            .formatted(min, initial, max));
        }
        this.min = min;
        this.max = max;
        this.targetBytesPerSecond = targetBytesPerSecond;
        this.limit = initial;
    }

    /** The model itself: requests in flight for a throughput, not rounded or limited. */
    public static double requests(double bytesPerSecond, LatencyFit fit, long sizeBytes) {
        double bytesPerNano = bytesPerSecond / TimeUnit.SECONDS.toNanos(1);
        return bytesPerNano * fit.nanos(sizeBytes) / sizeBytes;
    }

    /** Updates the model with measurements. */
    synchronized void update(LatencyHistory.Usual usual, double measuredBytesPerSecond) {
        if (fits.size() == FITS) {
            fits.removeFirst();
        }
        fits.addLast(usual.fit());
        double throughput =
                targetBytesPerSecond.isPresent()
                        ? targetBytesPerSecond.getAsLong()
                        : ROOM * measuredBytesPerSecond;
        double wanted = requests(throughput, least(), Math.max(1, usual.bytes()));
        limit = (int) Math.ceil(Math.clamp(wanted, min, max));
    }

    /** The present limit of requests in flight. */
    synchronized int limit() {
        return limit;
    }

    /**
     * The latencies of a store without load from this process; those of S3 before the first
     * measurement.
     */
    synchronized LatencyFit least() {
        if (fits.isEmpty()) {
            return LatencyFit.S3;
        }
        return new LatencyFit(
                fits.stream().mapToDouble(LatencyFit::baseNanos).min().orElseThrow(),
                fits.stream().mapToDouble(LatencyFit::nanosPerByte).min().orElseThrow());
    }
}
