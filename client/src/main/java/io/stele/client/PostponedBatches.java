package io.stele.client;

import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a shard that were refused as BUSY and will be sent again, in their order and with
 * their sequences. The first one goes alone, when all that was sent is answered and a pause is
 * over; once it is acknowledged the others follow. Guarded by the writer's lock.
 *
 * <p>Invariant: while there are any, no batch with a higher sequence is sent.
 */
final class PostponedBatches {
    private static final long MIN_PAUSE_NANOS = Duration.ofMillis(10).toNanos();
    private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long MAX_HINT_MILLIS = 10_000; // upper limit of a sidecar's hint

    private final long timeoutNanos;
    private final TreeMap<Long, WriteRequest> batches = new TreeMap<>(); // by sequence
    private boolean refusing; // the shard has taken none since it refused one
    private long refusingSinceNanos;
    private long pauseNanos;
    private long dueNanos;
    private @Nullable WriteRequest probe; // sent alone and not answered
    private @Nullable SteleException lastCause;

    PostponedBatches(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** A batch was refused. */
    void add(WriteRequest batch, SteleException cause, long nowNanos) {
        if (!refusing) {
            refusing = true;
            refusingSinceNanos = nowNanos;
            pauseNanos = MIN_PAUSE_NANOS;
            dueNanos = nowNanos;
        } else if (batch == probe) {
            pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
        }
        if (batch == probe) {
            probe = null;
        }
        long hintMillis = Math.min(cause.retryAfterMillis().orElse(0), MAX_HINT_MILLIS);
        long pause = Math.max(pauseNanos, TimeUnit.MILLISECONDS.toNanos(hintMillis));
        dueNanos = Math.max(dueNanos, nowNanos + pause);
        lastCause = cause;
        batches.put(batch.sequence(), batch);
    }

    /** A batch that was sent, and is not refused, waits here as well: it comes behind those. */
    void addUnrefused(WriteRequest batch) {
        if (batch == probe) {
            probe = null;
        }
        batches.put(batch.sequence(), batch);
    }

    /**
     * The shard took a batch.
     *
     * @return those that should have come before it, which are here no more
     */
    List<WriteRequest> acknowledged(long sequence) {
        refusing = false;
        probe = null;
        var overtaken = batches.headMap(sequence);
        List<WriteRequest> result = new ArrayList<>(overtaken.values());
        overtaken.clear();
        return result;
    }

    /**
     * The next batch to send; null if there is none now.
     *
     * @param unanswered the number of unanswered batches of the shard
     */
    @Nullable WriteRequest poll(long nowNanos, int unanswered) {
        if (batches.isEmpty() || (refusing && (unanswered > 0 || nowNanos < dueNanos))) {
            return null;
        }
        WriteRequest first = batches.pollFirstEntry().getValue();
        probe = refusing ? first : null;
        return first;
    }

    /** After null of {@link #poll}, while there are any: how long until there may be something. */
    long waitNanos(long nowNanos, int unanswered) {
        if (!refusing) {
            return 0;
        }
        if (unanswered > 0) {
            return RequestBatcher.UNTIL_REPLY;
        }
        return Math.max(0, Math.min(dueNanos - nowNanos, timeoutNanos - refusedNanos(nowNanos)));
    }

    /** Whether the shard has refused for too long, and nothing more is on its way to it. */
    boolean isHopeless(long nowNanos, int unanswered) {
        return refusing
                && !batches.isEmpty()
                && unanswered == 0
                && refusedNanos(nowNanos) >= timeoutNanos;
    }

    /** For how long the shard has taken nothing. */
    long refusedNanos(long nowNanos) {
        return nowNanos - refusingSinceNanos;
    }

    /** The latest error of the shard. */
    @Nullable SteleException lastCause() {
        return lastCause;
    }

    /** Takes all of them, in order. */
    List<WriteRequest> takeAll() {
        List<WriteRequest> all = new ArrayList<>(batches.values());
        batches.clear();
        refusing = false;
        probe = null;
        return all;
    }

    long rowCount() {
        long rows = 0;
        for (WriteRequest batch : batches.values()) {
            rows += batch.rowCount();
        }
        return rows;
    }
}
