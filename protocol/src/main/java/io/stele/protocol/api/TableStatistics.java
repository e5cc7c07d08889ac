package io.stele.protocol.api;

import io.stele.protocol.predicate.ColumnStats;
import java.util.Map;

/**
 * What is known about the rows of a table without reading them; an estimate.
 *
 * @param columns by column id; columns without statistics are absent
 */
public record TableStatistics(long rowCount, long sizeBytes, Map<Integer, ColumnStats> columns) {
    public static final TableStatistics EMPTY = new TableStatistics(0, 0, Map.of());

    public TableStatistics {
        columns = Map.copyOf(columns);
    }
}
