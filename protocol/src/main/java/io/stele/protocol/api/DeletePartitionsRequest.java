package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * Deletes all rows of some partitions at once.
 *
 * @param partitions domains of columns that the table is partitioned by; {@link ScanPredicate#ALL}:
 *     every row
 */
public record DeletePartitionsRequest(TableId tableId, ScanPredicate partitions) {
    public DeletePartitionsRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(partitions, "partitions is null");
    }
}
