package io.stele.protocol.api.maintenance;

import java.util.List;

/**
 * The reply with the partitions of a table that have column files, in the order of their values.
 */
public record ListPartitionsReply(List<PartitionFiles> partitions) {
    public ListPartitionsReply {
        partitions = List.copyOf(partitions);
    }
}
