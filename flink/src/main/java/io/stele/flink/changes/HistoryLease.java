package io.stele.flink.changes;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.Optional;

/**
 * The lease of a job on the history of a table. All methods but {@link #held} wait for the sidecar,
 * throw what it refuses, and are called one at a time.
 */
interface HistoryLease extends AutoCloseable {
    /**
     * Opens it.
     *
     * @param after on the history after this LSN; empty: after the present one
     * @throws SteleException STALE_TABLE: the table is another one than when the job was planned;
     *     SNAPSHOT_EXPIRED: its history does not reach back so far; INVALID_ARGUMENT: the LSN is in
     *     the future
     */
    LeasedSnapshot open(Optional<Lsn> after);

    /**
     * Prolongs it, if there is one.
     *
     * @throws SteleException SNAPSHOT_EXPIRED: a part of the history is gone, and no longer held
     */
    void renew();

    /**
     * Holds the history after an LSN. Opens a lease where there is none.
     *
     * @param kept leases from this LSN on stay as well: one that a checkpoint names must be found
     *     by the job that goes back to it
     */
    void moveTo(Lsn lsn, Lsn kept);

    /** Ends it. */
    void release();

    /** The latest one; for any thread. */
    Optional<LeasedSnapshot> held();

    /** Leaves the lease to itself. */
    @Override
    void close();
}
