package io.stele.objectstore.retrieval;

import java.util.concurrent.TimeUnit;

/**
 * The highest throughput of the last ten seconds, a quarter of a second at a time. Thread-safe,
 * guarded by itself.
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

    /** Bytes a second in the best of the last windows; the one under way counts for what it has. */
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
