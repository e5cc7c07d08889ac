package io.stele.protocol.api.catalog;

import io.stele.protocol.predicate.ColumnStats;
import java.util.Map;

/**
 * Estimated statistics of the rows of a table for query planning, collected without a scan of the
 * rows.
 *
 * @param columns statistics by column id, with bounds encoded as values of the column's type in the
 *     schema version that they were requested for; columns without statistics are absent
 * @param sizes sizes of columns by column id; unknown sizes are absent
 */
public record TableStatistics(
        long rowCount,
        long sizeBytes,
        Map<Integer, ColumnStats> columns,
        Map<Integer, ColumnSize> sizes) {
    public static final TableStatistics EMPTY = new TableStatistics(0, 0, Map.of(), Map.of());

    public TableStatistics {
        columns = Map.copyOf(columns);
        sizes = sizes == null ? Map.of() : Map.copyOf(sizes); // absent from older sidecars
    }

    /** The numbers of the table alone, which are equal in every version of its columns. */
    public TableStatistics withoutColumns() {
        return new TableStatistics(rowCount, sizeBytes, Map.of(), Map.of());
    }
}
