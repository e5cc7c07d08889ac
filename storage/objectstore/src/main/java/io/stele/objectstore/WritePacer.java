package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A rate limiter that blocks the writing threads of background jobs, as a token bucket of bytes
 * with a burst of a quarter of a second. It may be overdrawn: a caller that takes more than the
 * bucket contains waits until the debt is repaid, so large and small writes get equal shares. Safe
 * for use by many threads.
 */
public final class WritePacer {
    private static final double BURST_SECONDS = 0.25;

    private final long bytesPerSecond;
    private final LongSupplier nowMillis;
    private final LongConsumer sleepMillis;

    @GuardedBy("this")
    private double available;

    @GuardedBy("this")
    private long filledAtMillis;

    /**
     * @param nowMillis a clock that never goes back
     * @param sleepMillis makes the calling thread wait
     */
    public WritePacer(long bytesPerSecond, LongSupplier nowMillis, LongConsumer sleepMillis) {
        if (bytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "Expected at least 1 byte a second, found " + bytesPerSecond);
        }
        this.bytesPerSecond = bytesPerSecond;
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.sleepMillis = requireNonNull(sleepMillis, "sleepMillis is null");
        this.available = bytesPerSecond * BURST_SECONDS;
        this.filledAtMillis = nowMillis.getAsLong();
    }

    /** Takes bytes from the bucket, and waits until the debt is repaid if they overdraw it. */
    public void acquire(long bytes) {
        long waitMillis = reserve(bytes);
        if (waitMillis > 0) {
            sleepMillis.accept(waitMillis);
        }
    }

    private synchronized long reserve(long bytes) {
        long now = nowMillis.getAsLong();
        double filled = available + (double) bytesPerSecond * (now - filledAtMillis) / 1000;
        available = Math.min(filled, bytesPerSecond * BURST_SECONDS) - bytes;
        filledAtMillis = now;
        return available >= 0 ? 0 : (long) Math.ceil(-available * 1000 / bytesPerSecond);
    }
}
