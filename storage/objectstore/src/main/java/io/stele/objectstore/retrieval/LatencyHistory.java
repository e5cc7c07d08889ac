package io.stele.objectstore.retrieval;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A sliding window of the durations of recent requests, with a fitted model of them. Thread-safe:
 * guarded by its own lock.
 */
final class LatencyHistory {
    /** Enough for medians, few enough to follow a store whose latency changes. */
    private static final int CAPACITY = 64;

    /** Fewer samples do not show what is usual. */
    static final int MIN_SAMPLES = 16;

    /** A fit takes 2,000 divisions and a sort: not for each request. */
    private static final int FIT_EVERY = 8;

    private final Deque<RequestSample> samples = new ArrayDeque<>();
    private long added;
    private Optional<Usual> usual = Optional.empty();

    /**
     * The usual latencies.
     *
     * @param firstByteNanos the median time to the first byte
     * @param bytes the median size of the responses
     */
    record Usual(LatencyFit fit, double firstByteNanos, long bytes) {}

    /** Adds a request; returns whether this computed a new fit. */
    synchronized boolean add(RequestSample sample) {
        if (samples.size() == CAPACITY) {
            samples.removeFirst();
        }
        samples.addLast(sample);
        added++;
        if (samples.size() < MIN_SAMPLES || added % FIT_EVERY != 0) {
            return false;
        }
        List<RequestSample> recent = new ArrayList<>(samples);
        usual =
                Optional.of(
                        new Usual(
                                LatencyRegression.fit(recent),
                                LatencyRegression.median(
                                        recent.stream()
                                                .mapToDouble(RequestSample::firstByteNanos)
                                                .toArray()),
                                (long)
                                        LatencyRegression.median(
                                                recent.stream()
                                                        .mapToDouble(RequestSample::bytes)
                                                        .toArray())));
        return true;
    }

    /** Empty until there are enough samples. */
    synchronized Optional<Usual> usual() {
        return usual;
    }
}
