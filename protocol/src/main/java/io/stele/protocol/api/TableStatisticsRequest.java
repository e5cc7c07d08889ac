package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * A request for the estimated statistics of a table, restricted to the files that may match a
 * predicate.
 *
 * @param predicate files that cannot match are left out
 */
public record TableStatisticsRequest(TableId tableId, ScanPredicate predicate) {
    public TableStatisticsRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(predicate, "predicate is null");
    }
}
