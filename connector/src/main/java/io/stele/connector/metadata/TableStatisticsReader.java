package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.type.NativeValues;
import io.stele.protocol.api.TableDescription;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.ColumnSchema;
import io.trino.spi.statistics.ColumnStatistics;
import io.trino.spi.statistics.DoubleRange;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import io.trino.spi.type.Type;
import java.util.Optional;

/**
 * What the optimizer learns of a table: rows, and the nulls and range of each column. Stateless.
 */
public final class TableStatisticsReader {
    private final TableDefinitions definitions;

    @Inject
    public TableStatisticsReader(TableDefinitions definitions) {
        this.definitions = requireNonNull(definitions, "definitions is null");
    }

    TableStatistics read(TableDescription table) {
        long rowCount = table.statistics().rowCount();
        TableStatistics.Builder builder =
                TableStatistics.builder().setRowCount(Estimate.of((double) rowCount));
        for (ColumnSchema column : table.schema().columns()) {
            ColumnStats stats = table.statistics().columns().get(column.id());
            if (stats != null) {
                SteleColumnHandle handle = definitions.columnHandle(column);
                builder.setColumnStatistics(handle, column(column, handle.type(), stats, rowCount));
            }
        }
        return builder.build();
    }

    private static ColumnStatistics column(
            ColumnSchema column, Type type, ColumnStats stats, long rowCount) {
        ColumnStatistics.Builder builder = ColumnStatistics.builder();
        if (stats.hasNullCount() && rowCount > 0) {
            builder.setNullsFraction(
                    Estimate.of(Math.min(1.0, (double) stats.nullCount() / rowCount)));
        }
        if (column.type().isOrderable()) {
            builder.setRange(range(column, type, stats));
        }
        return builder.build();
    }

    private static Optional<DoubleRange> range(ColumnSchema column, Type type, ColumnStats stats) {
        Optional<Object> min =
                stats.min().flatMap(bound -> NativeValues.decode(column.type(), bound));
        Optional<Object> max =
                stats.max().flatMap(bound -> NativeValues.decode(column.type(), bound));
        if (min.isEmpty() || max.isEmpty()) {
            return Optional.empty();
        }
        return DoubleRange.from(type, min.get(), max.get());
    }
}
