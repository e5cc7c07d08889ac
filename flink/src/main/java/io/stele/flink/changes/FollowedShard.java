package io.stele.flink.changes;

import io.stele.flink.source.OpenSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A shard that a fetcher follows. Confined to the fetcher's thread. */
final class FollowedShard {
    ChangeSplit split;
    @Nullable OpenSnapshot snapshot;
    @Nullable ShardFeed feed;
    @Nullable CommitCollector collector;
    long dueNanos = System.nanoTime();
    private final Retries retries = new Retries();
    private Lsn before;
    private boolean wasFollowed;
    private boolean wasPending;
    private long renewedNanos = System.nanoTime();

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
    void renew(ShardHistory history, Duration leaseTime) {
        try {
            if (feed != null) {
                feed.renew();
            } else if (snapshot != null
                    && System.nanoTime() - renewedNanos > leaseTime.toNanos() / 3) {
                snapshot = history.renew(split.shard(), snapshot);
                renewedNanos = System.nanoTime();
            }
        } catch (SteleException away) {
            // or expired
        }
    }

    void close(ShardHistory history) {
        try {
            if (feed != null) {
                feed.close();
            }
            if (snapshot != null) {
                history.release(split.shard(), snapshot);
            }
        } catch (SteleException away) {
            // Its leases end by themselves
        }
    }
}
