package io.stele.benchmarks.servers;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;

/** A histogram of the latencies of one kind of operation; safe for concurrent recording. */
public final class Latencies {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ConcurrentHistogram histogram = new ConcurrentHistogram(HIGHEST_NANOS, 3);

    public void record(long nanos) {
        histogram.recordValue(Math.clamp(nanos, 0, HIGHEST_NANOS));
    }

    public long count() {
        return histogram.getTotalCount();
    }

    /**
     * The latency, in milliseconds, that {@code percentile} percent of the operations did not
     * exceed.
     */
    public double millis(double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e6;
    }
}
