package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;
import java.util.OptionalInt;

/**
 * A request for the plan of a scan of a table at a snapshot.
 *
 * @param predicate files that cannot match are omitted; advisory, so the caller must filter rows
 * @param columnIds columns whose statistics the caller wants with each file; empty: none
 * @param lookups whether the plan may have {@link ScanMode#LOOKUP} for shards where a secondary
 *     index finds few rows
 * @param schemaVersion the version that columns and predicate refer to; empty: the present version
 */
public record PlanScanRequest(
        String snapshotId,
        TableId tableId,
        ScanPredicate predicate,
        List<Integer> columnIds,
        boolean lookups,
        OptionalInt schemaVersion) {
    /** A request for a plan in the present schema version. */
    public PlanScanRequest(
            String snapshotId,
            TableId tableId,
            ScanPredicate predicate,
            List<Integer> columnIds,
            boolean lookups) {
        this(snapshotId, tableId, predicate, columnIds, lookups, OptionalInt.empty());
    }

    public PlanScanRequest {
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(tableId, "tableId is null");
        requireNonNull(predicate, "predicate is null");
        columnIds = List.copyOf(columnIds);
        requireNonNull(schemaVersion, "schemaVersion is null");
    }
}
