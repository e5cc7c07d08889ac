package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

/** A request to cancel a running or queued job on a table, such as a compaction. */
public record CancelJobRequest(String jobId) {
    public CancelJobRequest {
        requireNonNull(jobId, "jobId is null");
    }
}
