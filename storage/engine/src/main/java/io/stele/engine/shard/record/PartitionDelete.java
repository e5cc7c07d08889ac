package io.stele.engine.shard.record;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * A range tombstone: the deletion of all rows of some partitions of a table that exist when the
 * transaction commits.
 *
 * @param partitions domains of partition columns; {@link ScanPredicate#ALL}: every row
 */
public record PartitionDelete(TableId tableId, ScanPredicate partitions) {
    public PartitionDelete {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(partitions, "partitions is null");
    }
}
