package io.stele.objectstore.retrieval;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The retry policy of failed requests: the number of attempts and the pauses between them. Pauses
 * double up to a limit. Each is randomized between half and all of its length, so that requests
 * that failed together are not retried together.
 *
 * @param maxAttempts at least 1
 * @param firstPauseNanos after the first failure
 * @param maxPauseNanos after any failure
 */
public record RetryPolicy(int maxAttempts, long firstPauseNanos, long maxPauseNanos) {
    public RetryPolicy {
        if (maxAttempts < 1 || firstPauseNanos < 1 || maxPauseNanos < firstPauseNanos) {
            throw new IllegalArgumentException(
                    "Expected maxAttempts >= 1 and 1 <= firstPauseNanos <= maxPauseNanos, found %d, %d and %d"
                            .formatted(maxAttempts, firstPauseNanos, maxPauseNanos));
        }
    }

    /** A policy with pauses from 50 ms to 5 s. */
    public static RetryPolicy ofAttempts(int maxAttempts) {
        return new RetryPolicy(
                maxAttempts, TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(5));
    }

    /** Whether another attempt is allowed after this many failures. */
    boolean allowsAnother(int failures) {
        return failures < maxAttempts;
    }

    /** The pause behind the {@code failures}-th failure, from 1. */
    long pauseNanos(int failures, RandomGenerator random) {
        double longest =
                Math.min(
                        (double) maxPauseNanos,
                        firstPauseNanos * Math.pow(2, Math.min(failures - 1, 60)));
        return (long) (longest / 2 + random.nextDouble() * longest / 2);
    }
}
