package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** A request to renew the lease of a snapshot; READ_POINT_EXPIRED if it has expired. */
public record RenewSnapshotRequest(String readPointId, long ttlMillis) {
    public RenewSnapshotRequest {
        requireNonNull(readPointId, "readPointId is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }
}
