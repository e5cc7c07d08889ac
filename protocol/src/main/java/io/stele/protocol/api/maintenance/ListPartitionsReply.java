package io.stele.protocol.api.maintenance;

import java.util.List;

/** The partitions of a table that have column files, by their values. */
public record ListPartitionsReply(List<PartitionFiles> partitions) {
    public ListPartitionsReply {
        partitions = List.copyOf(partitions);
    }
}
