package io.stele.flink.changes;

import io.stele.flink.source.OpenSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A shard that a fetcher follows. Confined to the fetcher's thread. */
final class FollowedShard {
    private static final Duration MIN_RETRY = Duration.ofMillis(50);
    private static final Duration MAX_RETRY = Duration.ofSeconds(1);

    /**
     * After a restart of a sidecar a snapshot is gone that was opened just before, which the next
     * attempt opens again. If it is the history that is gone, all attempts find that.
     */
    private static final int MAX_EXPIRED = 3;

    ChangeSplit split;
    @Nullable OpenSnapshot snapshot;
    @Nullable ShardFeed feed;
    @Nullable CommitCollector collector;
    long dueNanos = System.nanoTime();
    private int failures;
    private int expired;
    private long failingSinceNanos;
    private long renewedNanos = System.nanoTime();

    FollowedShard(ChangeSplit split) {
        this.split = split;
    }

    /** Everything up to here has been passed on. */
    Lsn position() {
        return feed == null ? split.position() : feed.position();
    }

    void succeed() {
        failures = 0;
        expired = 0;
    }

    /**
     * Counts a failure.
     *
     * @return how long to wait before the next attempt; empty: it is of no use
     */
    Optional<Duration> fail(
            SteleException failed, boolean isRepeatable, Duration unavailableTimeout) {
        long now = System.nanoTime();
        if (failures == 0) {
            failingSinceNanos = now;
        }
        failures++;
        boolean isExpired = failed.code() == ErrorCode.READ_POINT_EXPIRED;
        expired += isExpired ? 1 : 0;
        boolean mayPass =
                isExpired
                        ? expired < MAX_EXPIRED
                        : failed.code().retryable()
                                && now - failingSinceNanos < unavailableTimeout.toNanos();
        if (!isRepeatable || !mayPass) {
            return Optional.empty();
        }
        Duration pause =
                failed.retryAfterMillis().isPresent()
                        ? Duration.ofMillis(failed.retryAfterMillis().getAsLong())
                        : MIN_RETRY.multipliedBy(1L << Math.min(failures - 1, 10));
        return Optional.of(pause.compareTo(MAX_RETRY) < 0 ? pause : MAX_RETRY);
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
