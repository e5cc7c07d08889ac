package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The reply with the counters and sizes of a sidecar's in-memory caches.
 *
 * @param nodeId of the sidecar
 */
public record MemoryCachesReply(String nodeId, List<MemoryCacheUse> uses) {
    public MemoryCachesReply {
        requireNonNull(nodeId, "nodeId is null");
        uses = List.copyOf(uses);
    }
}
