package io.stele.flink.changes;

import io.stele.client.lease.SnapshotLease;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A shard that a fetcher follows. Confined to the fetcher's thread. */
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

    /** Everything up to here has been passed on. */
    Lsn position() {
        return feed == null ? split.position() : feed.position();
    }

    /** Remembers where the shard is before an attempt. */
    void begin() {
        before = position();
        wasFollowed = feed != null;
        wasPending = feed != null && feed.isPending();
    }

    private boolean hasMoved() {
        return !position().equals(before);
    }

    /**
     * Ends a row of failures, if the attempt shows that they are over. An answer that is on its way
     * may still be one, and a poll before its time asks nothing.
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
     * @return how long to wait before the next attempt; empty: it is of no use
     */
    Optional<Duration> fail(
            SteleException failed, boolean isRepeatable, Duration unavailableTimeout) {
        if (hasMoved()) {
            retries.succeed();
        }
        Optional<Duration> pause = retries.fail(failed, unavailableTimeout);
        return isRepeatable ? pause : Optional.empty();
    }

    /** Keeps the history as well as it can: what is lost shows when it is read next. */
    void renew() {
        try {
            if (feed != null) {
                feed.renew();
            } else if (snapshot != null) {
                snapshot.renewInTime();
            }
        } catch (SteleException away) {
            // or expired
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
            // Its leases end by themselves
        }
    }
}
