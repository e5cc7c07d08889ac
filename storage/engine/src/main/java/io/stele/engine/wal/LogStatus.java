package io.stele.engine.wal;

import io.stele.protocol.ShardId;
import java.util.Set;

/**
 * The state of a node log at one moment, for monitoring.
 *
 * @param failed whether the log has failed for good
 * @param queuedBytes payload bytes waiting to be written, including those of held shards
 * @param heldBytes the part of them that waits for holds
 * @param groups groups made durable since the start; each cost one sync
 * @param records records made durable since the start
 * @param bytes bytes written since the start
 * @param firstSegment the oldest segment that exists
 * @param lastSegment the segment being written, or the last one
 * @param space bytes of all segments, and bytes that can still be written
 * @param firstSegmentShards shards with records in the oldest segment; the log can be trimmed after
 *     these are flushed
 */
public record LogStatus(
        boolean failed,
        long queuedBytes,
        long heldBytes,
        long groups,
        long records,
        long bytes,
        long firstSegment,
        long lastSegment,
        LogSpace space,
        Set<ShardId> firstSegmentShards) {
    public LogStatus {
        firstSegmentShards = Set.copyOf(firstSegmentShards);
    }
}
