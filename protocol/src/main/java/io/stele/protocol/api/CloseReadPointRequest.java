package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Closes a snapshot. It is no error if its lease has expired already. */
public record CloseReadPointRequest(String readPointId) {
    public CloseReadPointRequest {
        requireNonNull(readPointId, "readPointId is null");
    }
}
