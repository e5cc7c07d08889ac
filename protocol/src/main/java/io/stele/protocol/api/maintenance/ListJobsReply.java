package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The jobs of a sidecar.
 *
 * @param jobs the newest is last; those that ended long ago are not included
 */
public record ListJobsReply(String nodeId, List<JobStatus> jobs) {
    public ListJobsReply {
        requireNonNull(nodeId, "nodeId is null");
        jobs = List.copyOf(jobs);
    }
}
