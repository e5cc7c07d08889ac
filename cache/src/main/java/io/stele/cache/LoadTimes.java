package io.stele.cache;

import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of a cache's loads and their total duration, from which it estimates the time that
 * hits saved. Each hit saves the mean time of a load. Loads that failed are not counted.
 * Thread-safe.
 */
public final class LoadTimes {
    private final LongAdder loads = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    /** Counts a load. */
    public void loaded(long loadNanos) {
        loads.increment();
        nanos.add(loadNanos);
    }

    /**
     * The estimated time that {@code finds} hits saved, in nanoseconds; 0 before the first load,
     * when there is no mean.
     */
    public long savedNanos(long finds) {
        long loaded = loads.sum();
        return loaded == 0 ? 0 : (long) ((double) nanos.sum() / loaded * finds);
    }
}
