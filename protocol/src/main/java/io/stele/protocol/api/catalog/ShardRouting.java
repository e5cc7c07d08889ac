package io.stele.protocol.api.catalog;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Collections;
import java.util.List;

/**
 * The routing of a table's requests: the sidecars that own its shards.
 *
 * @param nodes the sidecars
 * @param owners for each shard by index, the index of its owner in {@code nodes}
 */
public record ShardRouting(List<NodeAddress> nodes, List<Integer> owners) {
    public ShardRouting {
        nodes = List.copyOf(nodes);
        owners = List.copyOf(owners);
        for (int owner : owners) {
            if (owner < 0 || owner >= nodes.size()) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected an owner below "
                                + nodes.size()
                                + ", found "
                                + owner
                                + " in a shard routing");
            }
        }
    }

    /** The routing of a system with one sidecar. */
    public static ShardRouting single(NodeAddress node, int shardCount) {
        return new ShardRouting(List.of(node), Collections.nCopies(shardCount, 0));
    }

    /** The sidecar that owns a shard. */
    public NodeAddress owner(int shardIndex) {
        return nodes.get(owners.get(shardIndex));
    }
}
