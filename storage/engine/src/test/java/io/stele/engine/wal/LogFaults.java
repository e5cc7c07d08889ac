package io.stele.engine.wal;

import java.util.Locale;

/**
 * The fault rates and delays of simulated log files in memory. A call that fails may have had its
 * effect, wholly or in part, or may have it later, as after a timeout. The next start shows which.
 *
 * @param failedChange share of appends, creations, seals and deletions (0 to 1) that fail
 * @param failedSync share of syncs that fail
 * @param maxSyncNanos longest time of a sync; times are uniform from 0
 */
public record LogFaults(double failedChange, double failedSync, long maxSyncNanos) {
    /** None: only crashes. */
    public static final LogFaults NONE = new LogFaults(0, 0, 0);

    public LogFaults {
        if (!(failedChange >= 0 && failedChange <= 1 && failedSync >= 0 && failedSync <= 1)) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected shares from 0 to 1, found %s and %s",
                            failedChange,
                            failedSync));
        }
        if (maxSyncNanos < 0) {
            throw new IllegalArgumentException("Expected maxSyncNanos >= 0, found " + maxSyncNanos);
        }
    }
}
