package io.stele.connector.metadata;

import com.google.common.collect.ImmutableMap;
import io.airlift.units.Duration;
import io.trino.plugin.base.metrics.DurationTiming;
import io.trino.plugin.base.metrics.LongCount;
import io.trino.spi.metrics.Metrics;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Counters of the calls and the time that the coordinator spends in this catalog for one
 * transaction, including requests to the sidecar. Thread-safe.
 *
 * <p>Trino publishes it with each query: {@code catalogMetadataMetrics} of the query's statistics.
 */
public final class PlanningTimes {
    private final LongAdder calls = new LongAdder();
    private final LongAdder metadataNanos = new LongAdder();
    private final LongAdder splitNanos = new LongAdder();

    /** Counts a metadata call that took {@code nanos} nanoseconds. */
    void called(long nanos) {
        calls.increment();
        metadataNanos.add(nanos);
    }

    /** Runs a planner of splits and adds its time. */
    public <T> T planningSplits(Supplier<T> planner) {
        long start = System.nanoTime();
        try {
            return planner.get();
        } finally {
            splitNanos.add(System.nanoTime() - start);
        }
    }

    public Metrics metrics() {
        return new Metrics(
                ImmutableMap.of(
                        "metadata calls", new LongCount(calls.sum()),
                        "metadata time", timing(metadataNanos),
                        "split planning time", timing(splitNanos)));
    }

    private static DurationTiming timing(LongAdder nanos) {
        return new DurationTiming(Duration.succinctNanos(nanos.sum()));
    }
}
