package io.stele.flink.changes;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLease;
import io.stele.protocol.SteleException;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/** The history of a table's shards. All methods wait for the sidecar, and throw what it refuses. */
interface ShardHistory extends AutoCloseable {
    /**
     * Opens a lease on the snapshot at which a split begins.
     *
     * @throws SteleException STALE_TABLE: the table is another one by now; SNAPSHOT_EXPIRED: its
     *     history does not reach back so far
     */
    SnapshotLease hold(ChangeSplit split);

    /** Passes on the rows of a split at a snapshot; may be called by another thread. */
    void read(ChangeSplit split, LeasedSnapshot snapshot, Consumer<RowData> rows);

    /**
     * Opens the changes after the position of a split, and a lease on them.
     *
     * @throws SteleException as {@link #hold}
     */
    ShardFeed follow(ChangeSplit split);

    /** Ends what other threads wait for. */
    @Override
    void close();
}
