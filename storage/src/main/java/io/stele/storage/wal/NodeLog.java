package io.stele.storage.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead log of a node, shared by all its shards. Records wait in a bounded queue; one log
 * thread takes everything that waits as one group, gives the records their LSNs, writes and syncs
 * the group, tells the listener, completes the futures, and goes on.
 *
 * <p>Invariant: LSNs of one shard increase in log order. Invariant: a future completes normally,
 * and the listener hears of a record, only after the record is durable. Invariant: after a failed
 * write or sync nothing is acknowledged any more; what became of the failed group shows at the next
 * recovery.
 *
 * <p>Safe for use by many threads.
 */
public final class NodeLog implements AutoCloseable {
    private NodeLog() {}

    /** Continues a log with a log thread of its own. */
    public static NodeLog start(
            RecoveredLog recovered, LogListener listener, ThreadFactory threads) {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * Continues a log without a thread: the caller drives it by {@link #commitWaiting}, as
     * simulations do.
     */
    public static NodeLog unthreaded(RecoveredLog recovered, LogListener listener) {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * Appends a record; blocks while the queue is full (without a log thread it commits a group
     * instead). The payload must not change until the future completes. The future fails with
     * {@code STORE_FAILED} if the log has failed (the record may or may not be there after the next
     * recovery), and with {@code UNAVAILABLE} if the log is closed (it is not there).
     *
     * @param payload pieces that together make the record; their positions do not move
     * @param attachment handed to the listener with the durable record, never written
     */
    public CompletableFuture<LogPosition> append(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * Waits until no other hold has any of these shards, then holds them all at once and assigns
     * the LSN of the hold.
     */
    public CompletableFuture<LogHold> hold(Collection<ShardId> shards) {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * Holds shards whose transaction was decided at {@code lsn} before a restart that came between
     * its decision and its outcome records.
     *
     * @throws IllegalArgumentException if one of the shards has an LSN at or above {@code lsn}
     */
    public LogHold resume(Lsn lsn, Collection<ShardId> shards) {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * Takes an LSN above all that were assigned so far, and the last one of each of these shards.
     */
    public LogReadPoint readPoint(Collection<ShardId> shards) {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * The last LSN assigned in this shard, durable or not; {@code Lsn.MIN} if the log knows none.
     */
    public Lsn lastAssigned(ShardId shard) {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * Deletes the oldest segments as far as none has a record above its shard's LSN in {@code
     * flushed}; shards that are not in the map need all their records. Blocks. Returns the number
     * of deleted segments.
     */
    public int trim(Map<ShardId, Lsn> flushed) throws IOException {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /** The present state. */
    public LogStatus status() {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /**
     * Commits one group in this thread if anything waits that is not held; only without a log
     * thread.
     */
    public boolean commitWaiting() {
        throw new UnsupportedOperationException("Not landed yet");
    }

    /** Writes what waits, except for held shards, and stops. */
    @Override
    public void close() {
        throw new UnsupportedOperationException("Not landed yet");
    }
}
