package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A retry loop, in the calling thread, for requests to the sidecar that failed temporarily, with
 * growing pauses. It ends with a reply, a permanent failure, the end of the patience, or an
 * interruption, by which Trino cancels. Immutable.
 */
final class Repetition {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Longest pause, so that callers notice soon when a sidecar is back. */
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final LongSupplier nanos;
    private final LongConsumer pause;

    /**
     * @param nanos the clock, in nanoseconds
     * @param pause waits for a number of nanoseconds, or until the thread is interrupted
     */
    Repetition(LongSupplier nanos, LongConsumer pause) {
        this.nanos = requireNonNull(nanos, "nanos is null");
        this.pause = requireNonNull(pause, "pause is null");
    }

    /**
     * Repeats a request until it succeeds; returns its reply.
     *
     * @param patience how long after the beginning a failure leads to another attempt
     * @throws SteleException the last failure; UNAVAILABLE where the thread is interrupted
     */
    <T> T run(Supplier<T> request, Function<SteleException, Duration> patience) {
        long begin = nanos.getAsLong();
        long nextPause = FIRST_PAUSE_NANOS;
        while (true) {
            try {
                return request.get();
            } catch (SteleException failure) {
                if (!failure.code().retryable()) {
                    throw failure;
                }
                checkNotCancelled(failure);
                long waited = nanos.getAsLong() - begin;
                long left = patience.apply(failure).toNanos() - waited;
                if (left <= 0) {
                    throw after(waited, failure);
                }
                long asked =
                        failure.retryAfterMillis().isPresent()
                                ? TimeUnit.MILLISECONDS.toNanos(
                                        failure.retryAfterMillis().getAsLong())
                                : nextPause;
                pause.accept(Math.min(left, Math.min(asked, MAX_PAUSE_NANOS)));
                nextPause = Math.min(nextPause * 2, MAX_PAUSE_NANOS);
                checkNotCancelled(failure);
            }
        }
    }

    private static void checkNotCancelled(SteleException failure) {
        if (Thread.currentThread().isInterrupted()) {
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "The statement was cancelled while it waited for the sidecar: "
                            + failure.getMessage(),
                    failure);
        }
    }

    private static SteleException after(long waitedNanos, SteleException failure) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(waitedNanos);
        if (seconds == 0) {
            return failure;
        }
        return new SteleException(
                failure.code(),
                "%s (waited %s s)".formatted(failure.getMessage(), seconds),
                failure);
    }
}
