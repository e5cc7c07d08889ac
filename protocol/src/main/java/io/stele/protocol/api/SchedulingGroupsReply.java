package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * How the threads of a sidecar are shared.
 *
 * @param nodeId of the sidecar
 */
public record SchedulingGroupsReply(String nodeId, List<SchedulingGroupStatus> groups) {
    public SchedulingGroupsReply {
        requireNonNull(nodeId, "nodeId is null");
        groups = List.copyOf(groups);
    }
}
