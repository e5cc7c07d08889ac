package io.stele.engine.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.nio.ByteBuffer;

/** A consumer of the records of a log, in log order, during recovery. */
@FunctionalInterface
public interface ReplayConsumer {
    /**
     * One record. {@code payload} is a heap buffer that the consumer may retain; it shares its
     * array with other records of the same group.
     */
    void accept(ShardId shard, Lsn lsn, RecordType type, ByteBuffer payload);
}
