package io.stele.objectstore.retrieval;

import java.util.concurrent.TimeUnit;

/**
 * The policy of hedging in the download manager: it decides whether a request is late, so that a
 * second one is sent. A request is late if its answer has not begun after three times the median.
 * It is also late if it has not ended after twice the usual time for its size.
 *
 * <p>Both rules are needed. Times to the first byte do not show answers that arrive slowly. Their
 * higher quantiles also rise with the load of the process itself.
 *
 * <p>A process that is too busy to handle its answers does not count its own delay against the
 * store. It measures this delay by the lateness of its own timers. Stateless.
 *
 * <p>The factors were chosen by hand; the benchmark {@code tail} measures their effect.
 */
final class HedgePolicy {
    private static final double FIRST_BYTE_FACTOR = 3;
    private static final double ELAPSED_FACTOR = 2;

    /** Below this, a pause of this process looks like a pause of the store. */
    private static final double MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Timers are as late as this on an idle machine. */
    private static final long PUNCTUAL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** However busy the process is, a request that takes this much longer is late. */
    private static final long MAX_EXCUSED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private HedgePolicy() {}

    /**
     * The part of a request's time that does not count against the store, after a check of the
     * request.
     *
     * @param before the time that did not count before this check
     * @param lateNanos how late the check was
     */
    static long excusedNanos(long before, long lateNanos) {
        if (lateNanos < PUNCTUAL_NANOS) {
            return before;
        }
        // The check was late, and a response that waits for the same processors may be as late
        // again
        return Math.min(before + 2 * lateNanos, MAX_EXCUSED_NANOS);
    }

    /** The time after its start at which a request must be checked. */
    static long checkAfterNanos(LatencyHistory.Usual usual, boolean begun, long bytes) {
        double elapsed = elapsedLimit(usual, bytes);
        return (long) Math.ceil(begun ? elapsed : Math.min(firstByteLimit(usual), elapsed));
    }

    /**
     * Whether a hedge should be sent.
     *
     * @param receivedBytes so far; may be 0 after the response has begun
     */
    static boolean isLate(
            LatencyHistory.Usual usual,
            long elapsedNanos,
            boolean begun,
            long receivedBytes,
            long bytes) {
        if (elapsedNanos < checkAfterNanos(usual, begun, bytes)) {
            return false;
        }
        if (receivedBytes == 0) {
            return true;
        }
        // A request that will end sooner than a new one could is not hedged
        double leftNanos = (double) elapsedNanos / receivedBytes * (bytes - receivedBytes);
        return leftNanos > usual.fit().nanos(bytes);
    }

    private static double firstByteLimit(LatencyHistory.Usual usual) {
        return Math.max(MIN_NANOS, FIRST_BYTE_FACTOR * usual.firstByteNanos());
    }

    private static double elapsedLimit(LatencyHistory.Usual usual, long bytes) {
        return Math.max(MIN_NANOS, ELAPSED_FACTOR * usual.fit().nanos(bytes));
    }
}
