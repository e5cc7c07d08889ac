package io.stele.flink.changes;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.client.lease.SnapshotLease;
import io.stele.protocol.SteleException;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/**
 * The reader's access to the history of a table's shards: leases, snapshots and feeds. All methods
 * wait for the sidecar and throw its refusal.
 */
interface ShardHistory extends AutoCloseable {
    /**
     * Opens a lease on the snapshot at which a split begins. The caller closes it.
     *
     * @throws SteleException STALE_TABLE: the table was replaced or truncated; SNAPSHOT_EXPIRED:
     *     its history does not reach back so far
     */
    SnapshotLease hold(ChangeSplit split);

    /** Reads the rows of a split at a snapshot; another thread may call this. */
    void read(ChangeSplit split, LeasedSnapshot snapshot, Consumer<RowData> rows);

    /**
     * Opens the feed of the changes after a split's position, with a lease. The caller closes it.
     *
     * @throws SteleException as {@link #hold}
     */
    ShardFeed follow(ChangeSplit split);

    /** Closes the connections, which ends the waits of other threads. */
    @Override
    void close();
}
