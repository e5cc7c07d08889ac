package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Ends a read point; one that has ended is no error. */
public record CloseReadPointRequest(String readPointId) {
    public CloseReadPointRequest {
        requireNonNull(readPointId, "readPointId is null");
    }
}
