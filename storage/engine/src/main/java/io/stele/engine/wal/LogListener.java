package io.stele.engine.wal;

import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.util.List;

/**
 * A listener for records that the log has made durable. Both methods are called by the log thread
 * and delay the next group, so they hand work over and return; they must not wait and must not
 * append.
 *
 * <p>Invariant: the records of one shard come in LSN order, each once, and before the futures of
 * their appends complete.
 */
public interface LogListener {
    /** {@code records} of {@code shard}, all in one group, have become durable. */
    void onDurable(ShardId shard, List<DurableRecord> records);

    /** The log has failed for good: nothing further becomes durable until the process restarts. */
    void onFailure(SteleException cause);
}
