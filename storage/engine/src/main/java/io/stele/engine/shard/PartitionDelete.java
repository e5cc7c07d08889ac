package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * Ends all rows of some partitions of a table that are there when the transaction commits.
 *
 * @param partitions domains of partition columns; {@link ScanPredicate#ALL}: every row
 */
public record PartitionDelete(TableId tableId, ScanPredicate partitions) {
    public PartitionDelete {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(partitions, "partitions is null");
    }
}
