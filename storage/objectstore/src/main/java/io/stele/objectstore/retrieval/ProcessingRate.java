package io.stele.objectstore.retrieval;

import java.util.concurrent.TimeUnit;

/**
 * An exponentially decaying average of the bytes that a scan or compaction processes per second,
 * without the time in which it waits for data. Older work loses half of its weight with each second
 * of processing. Not thread-safe; guarded by its owner.
 */
final class ProcessingRate {
    private static final double HALF_LIFE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The rate over a shorter time would depend on one page rather than on the work. */
    private static final double MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private double bytes;
    private double nanos;

    /** Counts bytes processed in a time, which excludes waiting. */
    void add(long moreBytes, long moreNanos) {
        double kept = Math.pow(0.5, moreNanos / HALF_LIFE_NANOS);
        bytes = bytes * kept + moreBytes;
        nanos = nanos * kept + moreNanos;
    }

    boolean isKnown() {
        return nanos >= MIN_NANOS && bytes > 0;
    }

    double bytesPerSecond() {
        return bytes * TimeUnit.SECONDS.toNanos(1) / nanos;
    }
}
