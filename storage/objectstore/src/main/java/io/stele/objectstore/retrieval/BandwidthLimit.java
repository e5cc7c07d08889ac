package io.stele.objectstore.retrieval;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A token bucket that limits the bytes per second of requests to a remote store, with a burst of a
 * quarter of a second. It may be overdrawn, so that large requests get their share like small ones.
 * Not thread-safe; guarded by its owner.
 */
final class BandwidthLimit {
    private static final double BURST_SECONDS = 0.25;

    private final OptionalLong bytesPerSecond;
    private double available;
    private long filledAtNanos;

    BandwidthLimit(OptionalLong bytesPerSecond, long nowNanos) {
        if (bytesPerSecond.isPresent() && bytesPerSecond.getAsLong() < 1) {
            throw new IllegalArgumentException(
                    "Expected at least 1 byte a second, found " + bytesPerSecond.getAsLong());
        }
        this.bytesPerSecond = bytesPerSecond;
        this.available = bytesPerSecond.orElse(0) * BURST_SECONDS;
        this.filledAtNanos = nowNanos;
    }

    /** The time until more may be taken; 0 if it may be now. */
    long waitNanos(long nowNanos) {
        if (bytesPerSecond.isEmpty()) {
            return 0;
        }
        double rate = (double) bytesPerSecond.getAsLong() / TimeUnit.SECONDS.toNanos(1);
        available =
                Math.min(
                        available + rate * (nowNanos - filledAtNanos),
                        bytesPerSecond.getAsLong() * BURST_SECONDS);
        filledAtNanos = nowNanos;
        return available >= 0 ? 0 : (long) Math.ceil(-available / rate);
    }

    /** Takes bytes, after {@link #waitNanos} was 0. */
    void take(long bytes) {
        available -= bytes;
    }
}
