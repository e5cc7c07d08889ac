package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * Asks what is known of the rows of some files of a table.
 *
 * @param predicate files that have no row of it are left out
 */
public record TableStatisticsRequest(TableId tableId, ScanPredicate predicate) {
    public TableStatisticsRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(predicate, "predicate is null");
    }
}
