package io.stele.flink.changes;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.Optional;

/**
 * The lease of a job on the history of a table. All methods except {@link #held} wait for the
 * sidecar and throw its refusal; callers call them one at a time.
 */
interface HistoryLease extends AutoCloseable {
    /**
     * Opens the lease.
     *
     * @param after on the history after this LSN; empty: after the present LSN
     * @throws SteleException STALE_TABLE: the table was replaced or truncated since the job was
     *     planned; SNAPSHOT_EXPIRED: its history does not reach back so far; INVALID_ARGUMENT: the
     *     LSN is in the future
     */
    LeasedSnapshot open(Optional<Lsn> after);

    /**
     * Extends the lease, if there is one.
     *
     * @throws SteleException SNAPSHOT_EXPIRED: a part of the history is lost
     */
    void renew();

    /**
     * Moves the lease to the history after an LSN. Opens one if there is none.
     *
     * @param kept leases at or after this LSN remain: a job that restarts from a checkpoint must
     *     find the lease that the checkpoint names
     */
    void moveTo(Lsn lsn, Lsn kept);

    /** Ends the lease. */
    void release();

    /** The latest lease; any thread may call this. */
    Optional<LeasedSnapshot> held();

    /** Closes the connection; the lease remains until it expires. */
    @Override
    void close();
}
