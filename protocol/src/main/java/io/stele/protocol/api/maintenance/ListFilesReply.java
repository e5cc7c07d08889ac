package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A sidecar's reply with the files and memory of a table in its shards, each shard at its own point
 * in time.
 *
 * @param nodeId of the sidecar that owns the shards
 */
public record ListFilesReply(String nodeId, List<TableShardFiles> shards) {
    public ListFilesReply {
        requireNonNull(nodeId, "nodeId is null");
        shards = List.copyOf(shards);
    }
}
