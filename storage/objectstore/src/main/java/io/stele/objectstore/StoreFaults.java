package io.stele.objectstore;

import java.util.Locale;

/**
 * The fault rates and latencies of a fault-injecting object store, for simulations.
 *
 * @param failure share of calls (0 to 1) that fail with an {@link java.io.IOException} and have no
 *     effect
 * @param unknownOutcome share of changing calls that take effect and fail nevertheless, as after a
 *     timeout
 * @param lateEffect share of changing calls that fail and take effect later, during or after other
 *     calls, perhaps of another process
 * @param minLatencyNanos least time of a call
 * @param maxLatencyNanos greatest time of a call; times are uniform in between
 */
public record StoreFaults(
        double failure,
        double unknownOutcome,
        double lateEffect,
        long minLatencyNanos,
        long maxLatencyNanos) {
    /** No faults. */
    public static final StoreFaults NONE = new StoreFaults(0, 0, 0, 0);

    /** Every call fails. */
    public static final StoreFaults OUTAGE = new StoreFaults(1, 0, 0, 0);

    public StoreFaults {
        if (!(failure >= 0
                && unknownOutcome >= 0
                && lateEffect >= 0
                && failure + unknownOutcome + lateEffect <= 1)) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected shares of at least 0 that sum to at most 1, found %s, %s and %s",
                            failure,
                            unknownOutcome,
                            lateEffect));
        }
        if (minLatencyNanos < 0 || minLatencyNanos > maxLatencyNanos) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected 0 <= minLatencyNanos <= maxLatencyNanos, found %d and %d",
                            minLatencyNanos,
                            maxLatencyNanos));
        }
    }

    /** Faults without late effects. */
    public StoreFaults(
            double failure, double unknownOutcome, long minLatencyNanos, long maxLatencyNanos) {
        this(failure, unknownOutcome, 0, minLatencyNanos, maxLatencyNanos);
    }
}
