package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.List;

/**
 * Asks what a scan of a table at a read point has to read.
 *
 * @param predicate files that cannot match are left out; advisory, so the caller filters rows
 * @param columnIds whose statistics the caller wants with each file; empty: none
 * @param lookups whether shards where a secondary index finds few rows may be answered with {@link
 *     ScanMode#LOOKUP}
 */
public record PlanScanRequest(
        String readPointId,
        TableId tableId,
        ScanPredicate predicate,
        List<Integer> columnIds,
        boolean lookups) {
    public PlanScanRequest {
        requireNonNull(readPointId, "readPointId is null");
        requireNonNull(tableId, "tableId is null");
        requireNonNull(predicate, "predicate is null");
        columnIds = List.copyOf(columnIds);
    }
}
