package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

/**
 * The statistics of one user's SQL statements that differ in their constants only, as far as the
 * sidecar remembers them; at most since its start. Times are from the start of a statement to its
 * last row.
 *
 * @param queryId identifies the normalized statement, equal in all sidecars
 * @param statement the statement without constants, shortened if it is long
 * @param calls statements that have ended, failed ones among them
 * @param failures statements that failed or were canceled
 * @param rows sent to clients, or changed
 * @param medianSeconds upper bound of the median, within a factor of 2
 * @param p99Seconds upper bound of the 99th percentile, within a factor of 2
 */
public record StatementStatus(
        String user,
        long queryId,
        String statement,
        long calls,
        long failures,
        long rows,
        double totalSeconds,
        double minSeconds,
        double maxSeconds,
        double medianSeconds,
        double p99Seconds) {
    public StatementStatus {
        requireNonNull(user, "user is null");
        requireNonNull(statement, "statement is null");
    }
}
