package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The caches in a sidecar's memory.
 *
 * @param nodeId of the sidecar
 */
public record MemoryCachesReply(String nodeId, List<MemoryCacheUse> uses) {
    public MemoryCachesReply {
        requireNonNull(nodeId, "nodeId is null");
        uses = List.copyOf(uses);
    }
}
