package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of a chaos client: its statements by outcome, and the answers that were compared
 * with its model. Thread-safe.
 */
final class ClientTally {
    /** Few, for a loaded machine; a client that hangs or that nothing answers has none. */
    private static final double ACKNOWLEDGED_PER_MINUTE = 2;

    /**
     * A client of slow statements makes some ten steps a minute, of which one in six is a check.
     */
    private static final double CHECKS_PER_MINUTE = 1;

    private final String key;
    private final LongAdder statements = new LongAdder();
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder open = new LongAdder();
    private final LongAdder checks = new LongAdder();

    ClientTally(String key) {
        this.key = requireNonNull(key, "key is null");
    }

    /** The counters at one moment. */
    record Totals(
            String client,
            long statements,
            long acknowledged,
            long refused,
            long open,
            long checks) {}

    String key() {
        return key;
    }

    /** A statement, read or write, is sent. */
    void stated() {
        statements.increment();
    }

    /** A write was answered as done. */
    void acknowledged() {
        acknowledged.increment();
    }

    /** A write was answered as not done, or was given up. */
    void refused() {
        refused.increment();
    }

    /** A write failed with an unknown outcome. */
    void open() {
        open.increment();
    }

    /** An answer was compared with the model. */
    void checked() {
        checks.increment();
    }

    Totals totals() {
        return new Totals(
                key, statements.sum(), acknowledged.sum(), refused.sum(), open.sum(), checks.sum());
    }

    /** The work that is missing after a run of this duration, if any: such a run proves nothing. */
    Optional<String> missing(Duration duration) {
        double minutes = duration.toMillis() / 60_000.0;
        long leastAcknowledged = least(ACKNOWLEDGED_PER_MINUTE, minutes);
        long leastChecks = least(CHECKS_PER_MINUTE, minutes);
        return acknowledged.sum() >= leastAcknowledged && checks.sum() >= leastChecks
                ? Optional.empty()
                : Optional.of(
                        "expected at least %d acknowledged writes and %d checks, found %d and %d"
                                .formatted(
                                        leastAcknowledged,
                                        leastChecks,
                                        acknowledged.sum(),
                                        checks.sum()));
    }

    private static long least(double perMinute, double minutes) {
        return Math.max(1, (long) (perMinute * minutes));
    }
}
