package io.stele.client;

import io.stele.protocol.SteleException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a writer's batches for one shard that were refused as BUSY and will be sent again in
 * their order, with their sequences. The first batch is sent alone, after all sent batches were
 * answered and a pause; when it is acknowledged, the other batches follow. Guarded by the writer's
 * lock.
 *
 * <p>Invariant: while the queue is not empty, no batch with a higher sequence is sent.
 */
final class PostponedBatches {
    private static final long MIN_PAUSE_NANOS = Duration.ofMillis(10).toNanos();
    private static final long MAX_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long MAX_HINT_MILLIS = 10_000; // upper limit of a sidecar's hint

    private final long timeoutNanos;
    private final TreeMap<Long, WriteRequest> batches = new TreeMap<>(); // by sequence
    private boolean refusing; // the shard has accepted no batch since it refused one
    private long refusingSinceNanos;
    private long pauseNanos;
    private long dueNanos;
    private @Nullable WriteRequest probe; // sent alone, and unanswered
    private @Nullable SteleException lastCause;

    PostponedBatches(Duration timeout) {
        this.timeoutNanos = timeout.toNanos();
    }

    boolean isEmpty() {
        return batches.isEmpty();
    }

    /** Adds a refused batch. */
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

    /** Adds a batch that was sent and not refused, but must wait for the refused ones before it. */
    void addUnrefused(WriteRequest batch) {
        if (batch == probe) {
            probe = null;
        }
        batches.put(batch.sequence(), batch);
    }

    /**
     * Called when the shard has accepted a batch.
     *
     * @return the batches of lower sequences, removed from this queue, which were overtaken
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
     * Removes and returns the next batch to send; null if there is none now.
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

    /**
     * The time in nanoseconds until there may be a batch to send. Called after {@link #poll} has
     * returned null, while the queue is not empty.
     */
    long waitNanos(long nowNanos, int unanswered) {
        if (!refusing) {
            return 0;
        }
        if (unanswered > 0) {
            return RequestBatcher.UNTIL_REPLY;
        }
        return Math.max(0, Math.min(dueNanos - nowNanos, timeoutNanos - refusedNanos(nowNanos)));
    }

    /** Whether the shard has refused batches for too long, and no batch is in flight to it. */
    boolean isHopeless(long nowNanos, int unanswered) {
        return refusing
                && !batches.isEmpty()
                && unanswered == 0
                && refusedNanos(nowNanos) >= timeoutNanos;
    }

    /** The time in nanoseconds for which the shard has accepted no batch. */
    long refusedNanos(long nowNanos) {
        return nowNanos - refusingSinceNanos;
    }

    /** The latest error of the shard. */
    @Nullable SteleException lastCause() {
        return lastCause;
    }

    /** Removes and returns all batches, in order. */
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
