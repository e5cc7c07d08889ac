package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Starts the lease of a read point anew; READ_POINT_EXPIRED where it has ended. */
public record RenewReadPointRequest(String readPointId, long ttlMillis) {
    public RenewReadPointRequest {
        requireNonNull(readPointId, "readPointId is null");
        if (ttlMillis <= 0) {
            throw new IllegalArgumentException("Expected ttlMillis > 0, found " + ttlMillis);
        }
    }
}
