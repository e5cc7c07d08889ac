package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/** The reply with an open snapshot: the id of its lease, its LSN, and the lifetime of the lease. */
public record SnapshotReply(String snapshotId, Lsn lsn, long ttlMillis) {
    public SnapshotReply {
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(lsn, "lsn is null");
    }
}
