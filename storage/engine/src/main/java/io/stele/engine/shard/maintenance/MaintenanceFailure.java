package io.stele.engine.shard.maintenance;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A report, for status and listeners, of a shard's flush, compaction or manifest that failed and is
 * tried again. The pause before the next attempt doubles from half a second to ten seconds.
 *
 * @param work the work that failed: {@code flush of schema.table}, {@code merge of schema.table} or
 *     {@code manifest}
 * @param sinceMillis when it failed first since its last success, in epoch milliseconds
 * @param attempts the number of failures since its last success
 * @param nextMillis when it is tried again, in epoch milliseconds
 * @param cause the last failure, with the name of the object
 */
public record MaintenanceFailure(
        ShardId shard, String work, long sinceMillis, int attempts, long nextMillis, String cause) {
    public MaintenanceFailure {
        requireNonNull(shard, "shard is null");
        requireNonNull(work, "work is null");
        requireNonNull(cause, "cause is null");
    }

    /** A description for people. */
    public String describe() {
        return "Shard %s: the %s failed %s since %d (epoch milliseconds) and is tried again: %s"
                .formatted(shard, work, times(), sinceMillis, cause);
    }

    /** The error for a caller that waited for the work, which is tried again without the caller. */
    SteleException refusal(Exception failure) {
        return new SteleException(
                code(failure),
                "Expected the %s in shard %s to be done, found that it failed %s since %d (epoch milliseconds), the last time with %s. Nothing is lost, and it is tried again"
                        .formatted(work, shard, times(), sinceMillis, cause),
                failure);
    }

    private String times() {
        return attempts == 1 ? "once" : attempts + " times";
    }

    private static ErrorCode code(Exception failure) {
        Throwable inner =
                failure instanceof UncheckedIOException unchecked ? unchecked.getCause() : failure;
        if (inner instanceof SteleException known) {
            return known.code();
        }
        return inner instanceof IOException ? ErrorCode.STORE_FAILED : ErrorCode.INTERNAL;
    }
}
