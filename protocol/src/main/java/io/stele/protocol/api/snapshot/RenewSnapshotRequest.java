package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

/** A request to renew the lease of a snapshot; SNAPSHOT_EXPIRED if it has expired. */
public record RenewSnapshotRequest(String snapshotId, long ttlMillis) {
    public RenewSnapshotRequest {
        requireNonNull(snapshotId, "snapshotId is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }
}
