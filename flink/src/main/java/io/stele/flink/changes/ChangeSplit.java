package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A split of a change source: one shard, and the position up to which it has been emitted.
 * Immutable.
 *
 * @param tableId the table of the LSN; after a truncation or replacement, a table has another id
 * @param position every change up to this LSN has been emitted
 * @param readsSnapshot nothing has been emitted: the rows of the snapshot at the position come
 *     first
 */
record ChangeSplit(TableId tableId, int shard, Lsn position, boolean readsSnapshot)
        implements SourceSplit {
    ChangeSplit {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(position, "position is null");
    }

    /** The split of the same shard, of which everything up to an LSN has been emitted. */
    ChangeSplit passedTo(Lsn lsn) {
        return new ChangeSplit(tableId, shard, lsn, false);
    }

    @Override
    public String splitId() {
        return Integer.toString(shard);
    }

    /** The shard of the split with this id. */
    static int shardOf(String splitId) {
        return Integer.parseInt(splitId);
    }
}
