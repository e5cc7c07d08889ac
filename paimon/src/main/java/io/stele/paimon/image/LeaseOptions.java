package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The settings of {@link LatestSnapshots}: pace and limits of the background checks for new
 * snapshots.
 *
 * @param interval between two checks of a table in use
 * @param idleAfter a table that no query used for this long is no longer checked
 * @param maxTables the number of tables checked; beyond it, the table used longest ago is no longer
 *     checked
 * @param maxSnapshots the number of snapshots cached for reads at a given id
 */
public record LeaseOptions(Duration interval, Duration idleAfter, int maxTables, int maxSnapshots) {
    public static final LeaseOptions DEFAULT =
            new LeaseOptions(Duration.ofMillis(200), Duration.ofMinutes(5), 1_000, 10_000);

    public LeaseOptions {
        requireNonNull(interval, "interval is null");
        requireNonNull(idleAfter, "idleAfter is null");
        checkArgument(interval.isPositive(), "interval must be > 0: %s", interval);
        checkArgument(idleAfter.isPositive(), "idleAfter must be > 0: %s", idleAfter);
        checkArgument(maxTables > 0, "maxTables must be > 0: %s", maxTables);
        checkArgument(maxSnapshots >= 0, "maxSnapshots must be >= 0: %s", maxSnapshots);
    }
}
