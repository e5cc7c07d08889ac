package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.ScanPredicate;

/**
 * A request for the estimated cost of an aggregation of a table at a snapshot; the sidecar computes
 * no result.
 *
 * @param schemaVersion the version that predicate and aggregation refer to
 */
public record EstimateAggregationRequest(
        String snapshotId,
        TableId tableId,
        int schemaVersion,
        ScanPredicate predicate,
        Aggregation aggregation) {
    public EstimateAggregationRequest {
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(tableId, "tableId is null");
        requireNonNull(predicate, "predicate is null");
        requireNonNull(aggregation, "aggregation is null");
    }
}
