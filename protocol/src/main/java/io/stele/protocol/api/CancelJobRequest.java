package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Asks that a job stops. */
public record CancelJobRequest(String jobId) {
    public CancelJobRequest {
        requireNonNull(jobId, "jobId is null");
    }
}
