package io.stele.engine.shard.record;

import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchReader;

/** A counter of the rows of a write batch that need generated row ids: its appends. */
public final class AppendedRows {
    private AppendedRows() {}

    /** Walks over the batch and rewinds it. */
    public static int count(WriteBatchReader batch) {
        int count = 0;
        batch.rewind();
        while (batch.next()) {
            if (batch.kind() == OperationKind.APPEND) {
                count++;
            }
        }
        batch.rewind();
        return count;
    }
}
