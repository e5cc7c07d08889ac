package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

/** A request to close a snapshot and end its lease. It is no error if the lease has expired. */
public record CloseSnapshotRequest(String snapshotId) {
    public CloseSnapshotRequest {
        requireNonNull(snapshotId, "snapshotId is null");
    }
}
