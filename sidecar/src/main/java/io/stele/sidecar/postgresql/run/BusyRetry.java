package io.stele.sidecar.postgresql.run;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A retry loop, in the calling thread, for requests to the engine that were refused as BUSY without
 * effect, with growing pauses.
 */
final class BusyRetry {
    /**
     * After this time the client receives BUSY, because its own pool is the better place to wait.
     */
    private static final long MAX_NANOS = Duration.ofSeconds(10).toNanos();

    private static final long FIRST_PAUSE_MILLIS = 2;
    private static final long MAX_PAUSE_MILLIS = 200;

    private BusyRetry() {}

    static <T> T call(LongSupplier nanoTime, Supplier<T> attempt) {
        OptionalLong start = OptionalLong.empty(); // what else an attempt waits for does not count
        long pauseMillis = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                return attempt.get();
            } catch (SteleException busy) {
                long now = nanoTime.getAsLong();
                if (start.isEmpty()) {
                    start = OptionalLong.of(now);
                }
                if (busy.code() != ErrorCode.BUSY
                        || now - start.getAsLong() > MAX_NANOS
                        || !pause(pauseMillis)) {
                    throw busy;
                }
            }
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
        }
    }

    /** Waits for about that long; false if the thread is to end. */
    static boolean pause(long millis) {
        try {
            Thread.sleep(millis + ThreadLocalRandom.current().nextLong(millis));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
