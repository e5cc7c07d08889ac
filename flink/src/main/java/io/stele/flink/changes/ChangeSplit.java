package io.stele.flink.changes;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A split of a source of changes: one shard, and how much of it has been passed on.
 *
 * @param tableId the table of the LSN; a truncated or replaced one has another id
 * @param position everything up to this LSN has been passed on
 * @param readsSnapshot nothing has been yet: the rows of the snapshot at the position come first
 */
record ChangeSplit(TableId tableId, int shard, Lsn position, boolean readsSnapshot)
        implements SourceSplit {
    ChangeSplit {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(position, "position is null");
    }

    /** The same shard, of which everything up to an LSN has been passed on. */
    ChangeSplit passedTo(Lsn lsn) {
        return new ChangeSplit(tableId, shard, lsn, false);
    }

    @Override
    public String splitId() {
        return Integer.toString(shard);
    }

    /** The shard of a split that has this id. */
    static int shardOf(String splitId) {
        return Integer.parseInt(splitId);
    }
}
