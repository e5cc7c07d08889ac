package io.stele.flink.changes;

import io.stele.client.lease.SnapshotLease;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of one shard in a fetcher: its split, its snapshot lease or feed, and its failures.
 * Owns the lease and the feed. Confined to the fetcher's thread.
 */
final class FollowedShard {
    ChangeSplit split;
    @Nullable SnapshotLease snapshot;
    @Nullable ShardFeed feed;
    @Nullable CommitCollector collector;
    long dueNanos = System.nanoTime();
    private final Retries retries = new Retries();
    private Lsn before;
    private boolean wasFollowed;
    private boolean wasPending;

    FollowedShard(ChangeSplit split) {
        this.split = split;
        this.before = split.position();
    }

    /** The LSN up to which every change has been passed on. */
    Lsn position() {
        return feed == null ? split.position() : feed.position();
    }

    /** Records the position before an attempt. */
    void begin() {
        before = position();
        wasFollowed = feed != null;
        wasPending = feed != null && feed.isPending();
    }

    private boolean hasMoved() {
        return !position().equals(before);
    }

    /**
     * Ends a series of failures, if the attempt has shown progress. A pending answer may still be a
     * failure, and a poll before its time makes no request.
     */
    void succeed() {
        boolean isAnswered = wasPending && feed != null && !feed.isPending();
        if (!wasFollowed || isAnswered || hasMoved()) {
            retries.succeed();
        }
    }

    /**
     * Counts a failure.
     *
     * @return time until the next attempt; empty: another attempt is useless
     */
    Optional<Duration> fail(
            SteleException failed, boolean isRepeatable, Duration unavailableTimeout) {
        if (hasMoved()) {
            retries.succeed();
        }
        Optional<Duration> pause = retries.fail(failed, unavailableTimeout);
        return isRepeatable ? pause : Optional.empty();
    }

    /** Renews the lease, and ignores failures. Lost history is reported when it is read next. */
    void renew() {
        try {
            if (feed != null) {
                feed.renew();
            } else if (snapshot != null) {
                snapshot.renewInTime();
            }
        } catch (SteleException away) {
            // or it has expired
        }
    }

    void close() {
        try {
            if (feed != null) {
                feed.close();
            }
            if (snapshot != null) {
                snapshot.close();
            }
        } catch (SteleException away) {
            // Its leases expire
        }
    }
}
