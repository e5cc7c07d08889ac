package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A reply with the load of all scheduling groups and task pools of a sidecar, which share its
 * threads.
 *
 * @param nodeId of the sidecar
 */
public record SchedulingGroupsReply(String nodeId, List<SchedulingGroupStatus> groups) {
    public SchedulingGroupsReply {
        requireNonNull(nodeId, "nodeId is null");
        groups = List.copyOf(groups);
    }
}
