package io.stele.engine.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive right to the next LSN of several shards in the log, by which a transaction commits.
 * From its grant to its release, records that other callers append for these shards wait without an
 * LSN; other shards continue. A transaction decides its outcome meanwhile, so that its commit LSN
 * lies between the LSNs before and after it in every shard.
 *
 * <p>Invariant: every held shard gets exactly one record with {@link #lsn}: the one appended here,
 * or {@link RecordType#VOID} at the release. So a reader that waits for the last assigned LSN of a
 * shard never waits in vain.
 *
 * <p>Safe for use by many threads.
 */
public interface LogHold extends AutoCloseable {
    /**
     * The largest payload of a record here. A decided transaction must get into the log in any
     * case, and a group must stay below the 2 GiB limit of its length field.
     */
    int MAX_RECORD_BYTES = 1 << 30;

    /** The LSN of the records of this hold, already counted as assigned in every held shard. */
    Lsn lsn();

    /** The last LSN that each held shard was given before this hold, {@code Lsn.MIN} if none. */
    Map<ShardId, Lsn> previous();

    /**
     * Appends the record of one held shard. It never waits for room in the queue, since the records
     * that fill it may wait for this one.
     *
     * @throws IllegalArgumentException if the payload is larger than {@link #MAX_RECORD_BYTES}
     * @throws IllegalStateException if the shard is not held, or has its record already, or the
     *     hold is released
     */
    CompletableFuture<LogPosition> append(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment);

    /**
     * Releases the waiting records of these shards, after the records of this hold. Further calls
     * do nothing.
     */
    void release();

    /**
     * Makes the hold permanent, since it is unknown which record belongs at its LSN: present and
     * later waiters for these shards fail. A restart finds out.
     */
    void abandon(SteleException cause);

    /** Releases the hold. */
    @Override
    default void close() {
        release();
    }
}
