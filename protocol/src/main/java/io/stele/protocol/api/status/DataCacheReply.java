package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/**
 * The data page cache of a sidecar.
 *
 * @param nodeId of the sidecar
 * @param space empty if it has no cache
 */
public record DataCacheReply(
        String nodeId, Optional<DataCacheSpace> space, List<DataCacheTable> tables) {
    public DataCacheReply {
        requireNonNull(nodeId, "nodeId is null");
        requireNonNull(space, "space is null");
        tables = List.copyOf(tables);
    }
}
