package io.stele.engine.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A consumer of the records of log segments that are about to be deleted, in log order. Called by
 * one thread.
 */
public interface ReleasedRecords {
    /** Takes none. */
    ReleasedRecords NONE =
            new ReleasedRecords() {
                @Override
                public boolean wants(ShardId shard, Lsn first, Lsn last) {
                    return false;
                }

                @Override
                public void take(ShardId shard, Lsn lsn, RecordType type, ByteBuffer payload) {
                    throw new IllegalStateException("Expected no record, found one of " + shard);
                }

                @Override
                public void finish() {
                    // Nothing was taken.
                }
            };

    /** Whether it takes some of a segment whose records of a shard go from one LSN to another. */
    boolean wants(ShardId shard, Lsn first, Lsn last);

    /** A record of a segment that it takes some of; it is not needed after the call. */
    void take(ShardId shard, Lsn lsn, RecordType type, ByteBuffer payload) throws IOException;

    /** Makes durable what was taken; after this the segments go. */
    void finish() throws IOException;
}
