package io.stele.protocol.api.snapshot;

import static java.util.Objects.requireNonNull;

/** A request to close a snapshot. It is no error if its lease has expired already. */
public record CloseSnapshotRequest(String snapshotId) {
    public CloseSnapshotRequest {
        requireNonNull(snapshotId, "snapshotId is null");
    }
}
