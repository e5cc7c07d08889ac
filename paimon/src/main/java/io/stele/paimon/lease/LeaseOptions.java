package io.stele.paimon.lease;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The settings of {@link Leases}: pace and limits of the checks in the background.
 *
 * @param maxStaleness the greatest age of a value that most queries accept, for which the pace is
 *     fast enough that they do not wait; zero: queries check themselves
 * @param interval the longest time between two checks of an entry in use
 * @param idleAfter an entry that no query used for this long is dropped
 * @param maxEntries the number of entries; beyond it, the entry used longest ago is dropped
 */
public record LeaseOptions(
        Duration maxStaleness, Duration interval, Duration idleAfter, int maxEntries) {
    /**
     * The checks of a minute on S3 cost less than a hundredth of a cent, and those who look at a
     * dashboard again find the table checked.
     */
    private static final Duration IDLE_AFTER = Duration.ofMinutes(1);

    private static final int MAX_ENTRIES = 1_000;

    public LeaseOptions {
        requireNonNull(maxStaleness, "maxStaleness is null");
        requireNonNull(interval, "interval is null");
        requireNonNull(idleAfter, "idleAfter is null");
        checkArgument(!maxStaleness.isNegative(), "maxStaleness must be >= 0: %s", maxStaleness);
        checkArgument(interval.isPositive(), "interval must be > 0: %s", interval);
        checkArgument(idleAfter.isPositive(), "idleAfter must be > 0: %s", idleAfter);
        checkArgument(maxEntries > 0, "maxEntries must be > 0: %s", maxEntries);
    }

    /** The settings of a catalog, with the limits of all catalogs. */
    public LeaseOptions(Duration maxStaleness, Duration interval) {
        this(maxStaleness, interval, IDLE_AFTER, MAX_ENTRIES);
    }

    /**
     * The time from the start of a check to the start of the next one, in nanoseconds.
     *
     * <p>A value is half as old as it may be when the next check begins. If checks are slow, the
     * next one begins earlier, so that it ends one more check's duration before the value is too
     * old. A check that takes more than half the staleness is followed by the next one at once, and
     * queries may wait for it.
     *
     * @param checkNanos how long a check takes
     */
    long periodNanos(long checkNanos) {
        if (maxStaleness.isZero()) {
            return interval.toNanos();
        }
        long oldest = maxStaleness.toNanos();
        long inTime = Math.max(checkNanos, oldest - 2 * checkNanos);
        return Math.min(interval.toNanos(), Math.min(oldest / 2, inTime));
    }
}
