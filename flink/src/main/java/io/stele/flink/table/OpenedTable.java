package io.stele.flink.table;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleTable;
import io.stele.client.lease.SnapshotLeases;
import io.stele.client.lease.SnapshotService;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table that is opened at its first use, because enumerators are created where nothing may block.
 * Thread-safe.
 */
public final class OpenedTable {
    private final Supplier<SteleTable> opening;
    private volatile @Nullable SteleTable table;

    public OpenedTable(Supplier<SteleTable> opening) {
        this.opening = requireNonNull(opening, "opening is null");
    }

    /**
     * The table; waits until a sidecar has described it.
     *
     * @throws SteleException the sidecar's refusal; the next call asks again
     */
    public SteleTable get() {
        SteleTable present = table;
        if (present == null) {
            present = opening.get();
            table = present;
        }
        return present;
    }

    /** Whether a sidecar has described the table. */
    public boolean isOpen() {
        return table != null;
    }

    /** The leases on snapshots of a version of the table, at the owner of its first shard. */
    public SnapshotLeases leases(TableId id, Duration timeToLive) {
        return new SnapshotLeases(
                SnapshotService.overFlight(() -> get().flight(0)), id, timeToLive);
    }
}
