package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.OptionalInt;

/**
 * A request for the estimated statistics of a table, restricted to the files that may match a
 * predicate.
 *
 * @param schemaVersion the version of the columns that the caller knows; if it is not the present
 *     version, the reply has no statistics of columns. Empty, from older connectors: the present
 *     version
 * @param predicate files that cannot match it are ignored
 */
public record TableStatisticsRequest(
        TableId tableId, OptionalInt schemaVersion, ScanPredicate predicate) {
    public TableStatisticsRequest {
        requireNonNull(tableId, "tableId is null");
        schemaVersion = schemaVersion == null ? OptionalInt.empty() : schemaVersion;
        requireNonNull(predicate, "predicate is null");
    }
}
