package io.stele.engine.shard.apply;

/**
 * The load of a shard in one time window: counts of what it received to apply.
 *
 * @param millis the length of the window, at least 1
 * @param groups of records that the log made durable
 * @param behind the groups that came while an earlier one was not applied yet, as the log was
 *     faster
 * @param rows in all of the groups
 * @param barriers how often a task had to wait for the apply workers to be idle
 */
public record ApplyWindow(long millis, long groups, long behind, long rows, long barriers) {
    public ApplyWindow {
        if (millis < 1) {
            throw new IllegalArgumentException("millis must be > 0: " + millis);
        }
    }

    double rowsPerSecond() {
        return rows * 1000.0 / millis;
    }
}
