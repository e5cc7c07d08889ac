package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A sidecar's reply with its maintenance jobs and their progress.
 *
 * @param jobs in order of creation, the newest last; jobs that ended long ago are not included
 */
public record ListJobsReply(String nodeId, List<JobStatus> jobs) {
    public ListJobsReply {
        requireNonNull(nodeId, "nodeId is null");
        jobs = List.copyOf(jobs);
    }
}
