package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The reply with a sidecar's reads of the warehouse by table and query.
 *
 * @param nodeId of the sidecar
 */
public record RetrievalReply(String nodeId, List<RetrievalUse> uses) {
    public RetrievalReply {
        requireNonNull(nodeId, "nodeId is null");
        uses = List.copyOf(uses);
    }
}
