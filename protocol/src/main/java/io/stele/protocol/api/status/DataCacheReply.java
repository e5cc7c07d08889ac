package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/**
 * The reply with the size and counters of a sidecar's data page cache.
 *
 * @param nodeId of the sidecar
 * @param space empty if the sidecar has no cache
 */
public record DataCacheReply(
        String nodeId, Optional<DataCacheSpace> space, List<DataCacheTable> tables) {
    public DataCacheReply {
        requireNonNull(nodeId, "nodeId is null");
        requireNonNull(space, "space is null");
        tables = List.copyOf(tables);
    }
}
