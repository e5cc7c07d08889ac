package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Renews the lease of a snapshot; READ_POINT_EXPIRED if it has expired. */
public record RenewReadPointRequest(String readPointId, long ttlMillis) {
    public RenewReadPointRequest {
        requireNonNull(readPointId, "readPointId is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }
}
