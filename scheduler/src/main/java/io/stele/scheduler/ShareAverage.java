package io.stele.scheduler;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A moving average of the runnable shares of a scheduling group, which rises at once and falls
 * slowly.
 *
 * <p>The claim of a group is divided by this average. An average that rose slowly would give a
 * query that arrives with k contexts k times its share. An average that fell at once would charge a
 * group whose contexts sometimes wait less than a group whose contexts always run.
 *
 * <p>Thread-safe. One of two concurrent observations may be lost; the next observation corrects
 * this.
 */
final class ShareAverage {
    private static final double SCALE = 256; // of the fixed-point average
    private static final int VALUE_BITS = 36; // 10,000 shares times 26,000 contexts, scaled
    private static final long VALUE_MASK = (1L << VALUE_BITS) - 1;
    private static final long TIME_MASK = (1L << (Long.SIZE - VALUE_BITS)) - 1; // 268 s, in micros

    private final long periodMicros;
    private final AtomicLong packed = new AtomicLong(); // low bits: average; high bits: time

    /**
     * @param periodNanos the time in which a difference falls to 1/e of its value
     */
    ShareAverage(long periodNanos) {
        if (periodNanos < 8_000) {
            throw new IllegalArgumentException(
                    "periodNanos must be at least 8000, found " + periodNanos);
        }
        this.periodMicros = periodNanos / 1000;
    }

    /** Adds an observation; returns the average, which is at least as high as the observation. */
    double observe(long runnableShares, long nowNanos) {
        long before = packed.getOpaque();
        double average = (before & VALUE_MASK) / SCALE;
        long time = (nowNanos / 1000) & TIME_MASK;
        long elapsed = (time - (before >>> VALUE_BITS)) & TIME_MASK;
        if (runnableShares == average && elapsed < periodMicros / 8) {
            return average; // written rarely, because all workers read it
        }
        if (runnableShares < average) {
            average =
                    runnableShares
                            + (average - runnableShares)
                                    * Math.exp(-(double) elapsed / periodMicros);
        } else {
            average = runnableShares;
        }
        long value = Math.min(VALUE_MASK, Math.round(average * SCALE));
        packed.setOpaque(time << VALUE_BITS | value);
        return average;
    }
}
