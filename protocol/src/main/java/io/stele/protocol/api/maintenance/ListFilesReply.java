package io.stele.protocol.api.maintenance;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * The shards of a table and their files, each shard as of its own moment.
 *
 * @param nodeId of the sidecar that has the shards
 */
public record ListFilesReply(String nodeId, List<TableShardFiles> shards) {
    public ListFilesReply {
        requireNonNull(nodeId, "nodeId is null");
        shards = List.copyOf(shards);
    }
}
