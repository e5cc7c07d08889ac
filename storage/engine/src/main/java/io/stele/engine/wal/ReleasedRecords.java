package io.stele.engine.wal;

import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A consumer of the records of log segments that are about to be deleted, in log order, which can
 * retain some of them. Called by one thread.
 */
public interface ReleasedRecords {
    /** A consumer that wants no records. */
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

    /**
     * Whether it wants records of a segment, given the LSNs of a shard's first and last record in
     * it.
     */
    boolean wants(ShardId shard, Lsn first, Lsn last);

    /**
     * Receives a record, wanted or not, of a segment from which it wants records; the caller does
     * not use the payload any more.
     */
    void take(ShardId shard, Lsn lsn, RecordType type, ByteBuffer payload) throws IOException;

    /** Makes the retained records durable; the segments are deleted after this call. */
    void finish() throws IOException;
}
