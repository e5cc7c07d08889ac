package io.stele.storage.retrieval;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * How often, and after what pause, a request that failed is sent again: pauses double, up to a
 * limit, and each is spread from half to all of itself, so that those who failed together do not
 * come back together.
 *
 * @param maxAttempts at least 1
 * @param firstPauseNanos behind the first failure
 * @param maxPauseNanos behind any
 */
public record RetryPolicy(int maxAttempts, long firstPauseNanos, long maxPauseNanos) {
    public RetryPolicy {
        if (maxAttempts < 1 || firstPauseNanos < 1 || maxPauseNanos < firstPauseNanos) {
            throw new IllegalArgumentException(
                    "Expected maxAttempts >= 1 and 1 <= firstPauseNanos <= maxPauseNanos, found %d, %d and %d"
                            .formatted(maxAttempts, firstPauseNanos, maxPauseNanos));
        }
    }

    /** With pauses from 50 ms to 5 s. */
    public static RetryPolicy ofAttempts(int maxAttempts) {
        return new RetryPolicy(
                maxAttempts, TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(5));
    }

    /** Whether so many failures are few enough. */
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
