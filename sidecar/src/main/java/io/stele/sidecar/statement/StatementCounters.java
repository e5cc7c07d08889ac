package io.stele.sidecar.statement;

import io.stele.sidecar.metrics.Histogram;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of one user's statements of one fingerprint since the first of them that is
 * remembered. Thread-safe; a reader may see a statement in some of the counters before it is in
 * all.
 */
final class StatementCounters {
    private final Histogram time = Histogram.ofSeconds();
    private final LongAdder nanos = new LongAdder();
    private final LongAccumulator minNanos = new LongAccumulator(Math::min, Long.MAX_VALUE);
    private final LongAccumulator maxNanos = new LongAccumulator(Math::max, 0);
    private final LongAdder calls = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder rows = new LongAdder();

    void add(long elapsedNanos, long rowCount, boolean isFailed) {
        time.add(elapsedNanos);
        nanos.add(elapsedNanos);
        minNanos.accumulate(elapsedNanos);
        maxNanos.accumulate(elapsedNanos);
        calls.increment();
        rows.add(rowCount);
        if (isFailed) {
            failures.increment();
        }
    }

    Histogram time() {
        return time;
    }

    long calls() {
        return calls.sum();
    }

    long failures() {
        return failures.sum();
    }

    long rows() {
        return rows.sum();
    }

    long nanos() {
        return nanos.sum();
    }

    long minNanos() {
        return Math.min(minNanos.get(), maxNanos.get());
    }

    long maxNanos() {
        return maxNanos.get();
    }
}
