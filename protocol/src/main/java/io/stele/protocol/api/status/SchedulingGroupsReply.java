package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A reply with the load of all scheduling groups, task pools and scanning queries of a sidecar,
 * which share its threads.
 *
 * @param nodeId of the sidecar
 * @param queries those with open scans, oldest first
 */
public record SchedulingGroupsReply(
        String nodeId, List<SchedulingGroupStatus> groups, List<QueryStatus> queries) {
    public SchedulingGroupsReply {
        requireNonNull(nodeId, "nodeId is null");
        groups = List.copyOf(groups);
        queries = queries == null ? List.of() : List.copyOf(queries); // absent before 0.1
    }
}
