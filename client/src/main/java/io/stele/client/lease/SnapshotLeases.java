package io.stele.client.lease;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A factory of leases on snapshots of one table. A lease keeps its snapshot, and the history after
 * it, readable. Immutable: the callers hold the leases. All methods wait for the sidecar.
 */
public final class SnapshotLeases {
    /** 30 s: a sidecar that was restarted has lost its leases, and gets them again by then. */
    private static final Duration LONGEST_RENEWAL = Duration.ofSeconds(30);

    private final SnapshotService service;
    private final TableId tableId;
    private final Duration timeToLive;

    /**
     * Leases of a table.
     *
     * @param timeToLive how long a lease lasts unless it is renewed
     */
    public SnapshotLeases(SnapshotService service, TableId tableId, Duration timeToLive) {
        this.service = requireNonNull(service, "service is null");
        this.tableId = requireNonNull(tableId, "tableId is null");
        this.timeToLive = requireNonNull(timeToLive, "timeToLive is null");
    }

    /** The time between two renewals of a lease: two may fail before it ends. */
    public static Duration renewalPeriod(Duration timeToLive) {
        Duration third = timeToLive.dividedBy(3);
        return third.compareTo(LONGEST_RENEWAL) < 0 ? third : LONGEST_RENEWAL;
    }

    /** The time between two renewals of these leases. */
    public Duration renewalPeriod() {
        return renewalPeriod(timeToLive);
    }

    /**
     * Opens a lease.
     *
     * @param lsn a snapshot of the retained history; empty: the one of all that is acknowledged
     * @throws SteleException SNAPSHOT_EXPIRED: the history does not reach back to the LSN;
     *     INVALID_ARGUMENT: the LSN is in the future
     */
    public LeasedSnapshot open(Optional<Lsn> lsn) {
        SnapshotReply reply =
                service.open(new OpenSnapshotRequest(List.of(tableId), lsn, timeToLive.toMillis()));
        return new LeasedSnapshot(reply.snapshotId(), reply.lsn());
    }

    /**
     * Renews a lease, or opens another one of its LSN where it is gone, as after a restart of the
     * sidecar.
     *
     * @throws SteleException SNAPSHOT_EXPIRED: a part of the history is gone as well
     */
    public LeasedSnapshot renew(LeasedSnapshot snapshot) {
        try {
            service.renew(new RenewSnapshotRequest(snapshot.id(), timeToLive.toMillis()));
            return snapshot;
        } catch (SteleException gone) {
            if (gone.code() != ErrorCode.SNAPSHOT_EXPIRED) {
                throw gone;
            }
            try {
                return open(Optional.of(snapshot.lsn()));
            } catch (SteleException alsoGone) {
                alsoGone.addSuppressed(gone); // says why the lease ended
                throw alsoGone;
            }
        }
    }

    /** Closes a lease. One that the sidecar does not close now ends by itself. */
    public void close(LeasedSnapshot snapshot) {
        try {
            service.close(new CloseSnapshotRequest(snapshot.id()));
        } catch (SteleException away) {
            // It expires
        }
    }

    /**
     * Opens a lease that its holder renews in time.
     *
     * @param nanoTime nanoseconds from any start
     * @throws SteleException as {@link #open}
     */
    public SnapshotLease hold(Optional<Lsn> lsn, LongSupplier nanoTime) {
        return new SnapshotLease(this, nanoTime, lsn);
    }
}
