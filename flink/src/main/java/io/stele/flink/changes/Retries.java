package io.stele.flink.changes;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.Optional;

/**
 * A retry policy with backoff for one operation: it counts the failures since the last success.
 * Confined to one thread.
 */
final class Retries {
    private static final Duration MIN_PAUSE = Duration.ofMillis(50);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(1);

    /**
     * After a restart of a sidecar, a snapshot that was opened just before is lost; the next
     * attempt opens it again. If the history itself is lost, all attempts find that.
     */
    private static final int MAX_EXPIRED = 3;

    private int failures;
    private int expired;
    private long failingSinceNanos;

    void succeed() {
        failures = 0;
        expired = 0;
    }

    /**
     * Counts a failure.
     *
     * @return time until the next attempt; empty: another attempt is useless
     */
    Optional<Duration> fail(SteleException failed, Duration unavailableTimeout) {
        long now = System.nanoTime();
        if (failures == 0) {
            failingSinceNanos = now;
        }
        failures++;
        boolean isExpired = failed.code() == ErrorCode.SNAPSHOT_EXPIRED;
        expired += isExpired ? 1 : 0;
        boolean mayPass =
                isExpired
                        ? expired < MAX_EXPIRED
                        : failed.code().retryable()
                                && now - failingSinceNanos < unavailableTimeout.toNanos();
        if (!mayPass) {
            return Optional.empty();
        }
        Duration pause =
                failed.retryAfterMillis().isPresent()
                        ? Duration.ofMillis(failed.retryAfterMillis().getAsLong())
                        : MIN_PAUSE.multipliedBy(1L << Math.min(failures - 1, 10));
        return Optional.of(pause.compareTo(MAX_PAUSE) < 0 ? pause : MAX_PAUSE);
    }
}
