package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The changes that a feed of a shard returns, and its times.
 *
 * @param after changes after this LSN, in the table's retained history; empty: those to come
 * @param columnIds ids of the columns of the rows, in this order; empty: all that the table has
 *     when the feed is opened
 * @param beforeImages whether the row before an update comes as well
 * @param pollInterval how often the feed asks for changes while there are none
 * @param leaseTime how long the sidecar holds the history for a feed that does not poll
 */
public record ChangeOptions(
        Optional<Lsn> after,
        List<Integer> columnIds,
        boolean beforeImages,
        Duration pollInterval,
        Duration leaseTime) {
    private static final Duration LONGEST_LEASE = Duration.ofHours(24);

    /** Changes to come, of all columns, without the rows before; asked for every 100 ms. */
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

    /** The same after an LSN. */
    public ChangeOptions after(Lsn lsn) {
        return new ChangeOptions(
                Optional.of(lsn), columnIds, beforeImages, pollInterval, leaseTime);
    }

    /** The same with some columns. */
    public ChangeOptions withColumns(List<Integer> ids) {
        return new ChangeOptions(after, ids, beforeImages, pollInterval, leaseTime);
    }

    /** The same with the rows before updates, or without. */
    public ChangeOptions withBeforeImages(boolean wanted) {
        return new ChangeOptions(after, columnIds, wanted, pollInterval, leaseTime);
    }

    /** The same with another interval of asking. */
    public ChangeOptions withPollInterval(Duration interval) {
        return new ChangeOptions(after, columnIds, beforeImages, interval, leaseTime);
    }

    /** The same with leases of another time. */
    public ChangeOptions withLeaseTime(Duration time) {
        return new ChangeOptions(after, columnIds, beforeImages, pollInterval, time);
    }
}
