package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The reply with the counters of a sidecar's aggregate cache.
 *
 * @param nodeId of the sidecar
 * @param uses of the whole cache, then of each table; empty if the sidecar has no cache
 */
public record AggregateCacheReply(String nodeId, List<ResultCacheUse> uses) {
    public AggregateCacheReply {
        requireNonNull(nodeId, "nodeId is null");
        uses = List.copyOf(uses);
    }
}
