package io.stele.client.lease;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.Optional;
import java.util.function.LongSupplier;

/** A lease on a snapshot, renewed by the holder's thread. Confined to that thread. */
public final class SnapshotLease implements AutoCloseable {
    private final SnapshotLeases leases;
    private final LongSupplier nanoTime;
    private LeasedSnapshot snapshot;
    private long renewedNanos;

    SnapshotLease(SnapshotLeases leases, LongSupplier nanoTime, Optional<Lsn> lsn) {
        this.leases = requireNonNull(leases, "leases is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.renewedNanos = nanoTime.getAsLong();
        this.snapshot = leases.open(lsn);
    }

    /** The snapshot under its present lease. */
    public LeasedSnapshot snapshot() {
        return snapshot;
    }

    /** The LSN of the snapshot. */
    public Lsn lsn() {
        return snapshot.lsn();
    }

    /**
     * Renews the lease if {@link SnapshotLeases#renewalPeriod} has passed since the last time, and
     * opens another one of its LSN where it is gone.
     *
     * @throws SteleException SNAPSHOT_EXPIRED: the history does not reach back so far; others: the
     *     next call tries again
     */
    public void renewInTime() {
        long now = nanoTime.getAsLong();
        if (now - renewedNanos < leases.renewalPeriod().toNanos()) {
            return;
        }
        snapshot = leases.renew(snapshot);
        renewedNanos = now;
    }

    /** Closes the lease, or leaves it to its end where the sidecar does not answer. */
    @Override
    public void close() {
        leases.close(snapshot);
    }
}
