package io.stele.engine.shard.maintenance;

import io.stele.engine.wal.LogSpace;
import io.stele.protocol.SteleException;

/**
 * A listener for failures of background work. Called on contexts of shards and by timers: it must
 * not wait.
 */
public interface MaintenanceListener {
    /** The work failed, for the first time or once more. */
    void failed(MaintenanceFailure failure);

    /**
     * The work succeeded, or is no longer needed.
     *
     * @param last the last reported failure
     */
    void recovered(MaintenanceFailure last);

    /**
     * A manifest shows that another engine owns the shard, which has stopped.
     *
     * @param cause as requests for the shard get it
     */
    default void ownershipLost(SteleException cause) {}

    /**
     * Writes wait for space on the disk of the write-ahead log, or continue.
     *
     * @param space at this moment; if it is short, they wait
     */
    default void logSpaceChanged(LogSpace space) {}
}
