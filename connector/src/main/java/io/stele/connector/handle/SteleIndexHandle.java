package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.ConnectorIndexHandle;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * Trino's handle of the inner side of an index join, whose rows are looked up by keys of the outer
 * side.
 *
 * @param table with the constraint that the rows satisfy
 * @param indexId the unique index; empty: the primary key
 * @param keyColumns ids of the key's columns, in key order; columns that the join does not bring
 *     have one value in the constraint
 * @param estimate of a request with the most keys, and of a scan instead; empty if the coordinator
 *     had no plan of the scan
 */
public record SteleIndexHandle(
        SteleTableHandle table,
        OptionalInt indexId,
        List<Integer> keyColumns,
        Optional<ReadEstimate> estimate)
        implements ConnectorIndexHandle {
    public SteleIndexHandle {
        requireNonNull(table, "table is null");
        requireNonNull(indexId, "indexId is null");
        keyColumns = List.copyOf(keyColumns);
        requireNonNull(estimate, "estimate is null");
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        return table
                + " by "
                + keyColumns.stream()
                        .map(id -> table.table().column(id).name())
                        .collect(Collectors.joining(", ", "[", "]"))
                + estimate.map(found -> ", " + found.keys() + " keys " + found.costs()).orElse("");
    }
}
