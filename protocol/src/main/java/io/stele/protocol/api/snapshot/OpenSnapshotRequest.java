package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.List;
import java.util.Optional;

/**
 * A request to open a snapshot, which stays readable until it is closed or its lease expires.
 *
 * @param tableIds the tables to be read, whose history the snapshot retains; empty: all
 * @param lsn the snapshot LSN; empty: a snapshot of everything acknowledged so far
 * @param ttlMillis lifetime of the lease in milliseconds, unless it is renewed
 * @param atLeast the least LSN that the snapshot may have, such as that of the caller's last write.
 *     A sidecar that has not reached it refuses the request; empty: any LSN
 */
public record OpenSnapshotRequest(
        List<TableId> tableIds, Optional<Lsn> lsn, long ttlMillis, Optional<Lsn> atLeast) {
    public OpenSnapshotRequest {
        requireNonNull(atLeast, "atLeast is null");
        tableIds = List.copyOf(tableIds);
        requireNonNull(lsn, "lsn is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }

    /** A request without a least LSN. */
    public OpenSnapshotRequest(List<TableId> tableIds, Optional<Lsn> lsn, long ttlMillis) {
        this(tableIds, lsn, ttlMillis, Optional.empty());
    }
}
