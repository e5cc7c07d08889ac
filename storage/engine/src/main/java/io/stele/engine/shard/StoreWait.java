package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/**
 * The status of a shard that cannot apply a log record, because the store does not return a file
 * that it depends on. The record is tried again after a pause that doubles from half a second to
 * ten seconds. The static methods distinguish an outage of the store from damaged data.
 *
 * @param lsn of the record; it and all later ones are not visible
 * @param sinceMillis when it was tried first, in epoch milliseconds
 * @param attempts the number of failed attempts
 * @param nextMillis when it is tried again, in epoch milliseconds
 * @param cause the store's last failure
 */
public record StoreWait(
        ShardId shard, Lsn lsn, long sinceMillis, int attempts, long nextMillis, String cause) {
    private static final long FIRST_PAUSE_MILLIS = 500; // a tick
    private static final long LONGEST_PAUSE_MILLIS = 10_000; // more would only add to the outage

    public StoreWait {
        requireNonNull(shard, "shard is null");
        requireNonNull(lsn, "lsn is null");
        requireNonNull(cause, "cause is null");
    }

    /**
     * The thrown object as an exception: an error of the JVM in the middle of background work (a
     * class that does not load, a full stack) is a failure of that work like any other.
     */
    public static Exception exception(Throwable thrown) {
        return thrown instanceof Exception known
                ? known
                : new SteleException(ErrorCode.INTERNAL, "Unexpected error: " + thrown, thrown);
    }

    /**
     * Whether a failure is the store's, so that the file may still be intact. False if the file is
     * damaged, which is no IOException, or is missing or too short.
     */
    public static boolean isOutage(Exception failure) {
        Throwable cause = failure instanceof UncheckedIOException ? failure.getCause() : failure;
        return cause instanceof IOException
                && !(cause instanceof NoSuchFileException)
                && !(cause instanceof EOFException);
    }

    /**
     * The failure as damage of the content that was read. An error of the JVM counts as damage too:
     * content that cannot be read without one must not end a start.
     *
     * @throws IOException or UncheckedIOException the failure itself, where it is an outage
     * @throws OutOfMemoryError the error itself: that is no property of the content
     */
    public static Exception damage(Throwable thrown) throws IOException {
        if (thrown instanceof OutOfMemoryError memory) {
            throw memory;
        }
        if (thrown instanceof Error) {
            return new SteleException(
                    ErrorCode.CORRUPT_DATA, "Cannot be read without an error: " + thrown, thrown);
        }
        Exception broken = exception(thrown);
        if (isOutage(broken)) {
            if (broken instanceof UncheckedIOException unchecked) {
                throw unchecked;
            }
            throw (IOException) broken;
        }
        return broken;
    }

    /** The wait after one more failed attempt. */
    static StoreWait next(
            @Nullable StoreWait before, ShardId shard, Lsn lsn, Exception cause, long nowMillis) {
        if (before == null || !before.lsn.equals(lsn)) {
            return new StoreWait(
                    shard, lsn, nowMillis, 1, nowMillis + FIRST_PAUSE_MILLIS, cause.toString());
        }
        return new StoreWait(
                shard,
                lsn,
                before.sinceMillis,
                before.attempts + 1,
                nowMillis + pauseMillis(before.attempts + 1),
                cause.toString());
    }

    /** The pause in milliseconds after this many failures in a row, 1 or more. */
    public static long pauseMillis(int attempts) {
        return Math.min(
                LONGEST_PAUSE_MILLIS,
                FIRST_PAUSE_MILLIS << Math.min(attempts - 1, Integer.SIZE / 2));
    }

    /** A description for people. */
    public String describe() {
        return "Shard %s waits for the store since %d (epoch milliseconds) to apply LSN %s, tried %d times: %s"
                .formatted(shard, sinceMillis, lsn, attempts, cause);
    }
}
