package io.stele.protocol.api;

import io.stele.protocol.predicate.ColumnStats;
import java.util.Map;

/**
 * What is known about the rows of a table without reading them; an estimate.
 *
 * @param columns by column id; columns without statistics are absent
 * @param sizes of columns by id; those that nothing is known of are absent
 */
public record TableStatistics(
        long rowCount,
        long sizeBytes,
        Map<Integer, ColumnStats> columns,
        Map<Integer, ColumnSize> sizes) {
    public static final TableStatistics EMPTY = new TableStatistics(0, 0, Map.of(), Map.of());

    public TableStatistics {
        columns = Map.copyOf(columns);
        sizes = sizes == null ? Map.of() : Map.copyOf(sizes); // sidecars of before
    }
}
