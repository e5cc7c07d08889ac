package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The options of a client's change feed of a shard: start, columns, polling and lease time.
 *
 * @param after the LSN, exclusive, after which changes are returned, in the table's retained
 *     history; empty: changes from the opening of the feed on
 * @param columnIds ids of the columns of the rows, in this order; empty: all columns that the table
 *     has when the feed is opened
 * @param beforeImages whether the row before an update is also returned
 * @param pollInterval the interval of requests while there are no changes
 * @param leaseTime the time for which the sidecar retains the history for a feed that does not poll
 */
public record ChangeOptions(
        Optional<Lsn> after,
        List<Integer> columnIds,
        boolean beforeImages,
        Duration pollInterval,
        Duration leaseTime) {
    private static final Duration LONGEST_LEASE = Duration.ofHours(24);

    /** Future changes of all columns, without before images, polled every 100 ms. */
    public static final ChangeOptions DEFAULT =
            new ChangeOptions(
                    Optional.empty(),
                    List.of(),
                    false,
                    Duration.ofMillis(100),
                    Duration.ofMinutes(10));

    public ChangeOptions {
        requireNonNull(after, "after is null");
        columnIds = List.copyOf(columnIds);
        requireNonNull(pollInterval, "pollInterval is null");
        requireNonNull(leaseTime, "leaseTime is null");
        if (pollInterval.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "Expected a pollInterval of at least 1 ms, found " + pollInterval);
        }
        if (leaseTime.toSeconds() < 1 || leaseTime.compareTo(LONGEST_LEASE) > 0) {
            throw new IllegalArgumentException(
                    "Expected a leaseTime of 1 s to 24 h, found " + leaseTime);
        }
    }

    /** These options with changes after an LSN, exclusive. */
    public ChangeOptions after(Lsn lsn) {
        return new ChangeOptions(
                Optional.of(lsn), columnIds, beforeImages, pollInterval, leaseTime);
    }

    /** These options with some columns. */
    public ChangeOptions withColumns(List<Integer> ids) {
        return new ChangeOptions(after, ids, beforeImages, pollInterval, leaseTime);
    }

    /** These options with the rows before updates, or without. */
    public ChangeOptions withBeforeImages(boolean wanted) {
        return new ChangeOptions(after, columnIds, wanted, pollInterval, leaseTime);
    }

    /** These options with another poll interval. */
    public ChangeOptions withPollInterval(Duration interval) {
        return new ChangeOptions(after, columnIds, beforeImages, interval, leaseTime);
    }

    /** These options with another lease time. */
    public ChangeOptions withLeaseTime(Duration time) {
        return new ChangeOptions(after, columnIds, beforeImages, pollInterval, time);
    }
}
