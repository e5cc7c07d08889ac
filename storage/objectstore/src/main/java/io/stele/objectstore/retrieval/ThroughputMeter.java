package io.stele.objectstore.retrieval;

import java.util.concurrent.TimeUnit;

/**
 * A meter of received bytes that returns the highest throughput of a quarter of a second in the
 * last ten seconds. Thread-safe, guarded by itself.
 */
final class ThroughputMeter {
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int WINDOWS = 40;

    private final long[] bytes = new long[WINDOWS];
    private final long startNanos;
    private long window;

    ThroughputMeter(long nowNanos) {
        this.startNanos = nowNanos;
    }

    /** Counts received bytes. */
    synchronized void add(long count, long nowNanos) {
        advance(nowNanos);
        bytes[(int) (window % WINDOWS)] += count;
    }

    /**
     * Bytes per second in the best window; the current, unfinished window counts with its bytes so
     * far.
     */
    synchronized double bytesPerSecond(long nowNanos) {
        advance(nowNanos);
        long most = 0;
        for (long count : bytes) {
            most = Math.max(most, count);
        }
        return (double) most * TimeUnit.SECONDS.toNanos(1) / WINDOW_NANOS;
    }

    private void advance(long nowNanos) {
        long present = Math.max(window, (nowNanos - startNanos) / WINDOW_NANOS);
        for (long next = Math.max(window + 1, present - WINDOWS + 1); next <= present; next++) {
            bytes[(int) (next % WINDOWS)] = 0;
        }
        window = present;
    }
}
