package io.stele.connector.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.metadata.catalog.DerivedValueCache;
import io.stele.connector.metadata.catalog.PartitionConstraints;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.connector.type.NativeValues;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.api.catalog.ColumnSize;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.statistics.ColumnStatistics;
import io.trino.spi.statistics.DoubleRange;
import io.trino.spi.statistics.Estimate;
import io.trino.spi.statistics.TableStatistics;
import io.trino.spi.type.Type;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * A converter of the sidecar's table statistics into those of Trino's optimizer, on the planning
 * path. They are the row count and, for each column, the null fraction, the value range, the
 * distinct count and the data size. Thread-safe.
 */
public final class TableStatisticsReader {
    private final TableDefinitions definitions;
    private final DerivedValueCache<TableDescription, TableStatistics> ofTables =
            new DerivedValueCache<>(table -> toTrino(table.schema(), table.statistics()));

    @Inject
    public TableStatisticsReader(TableDefinitions definitions) {
        this.definitions = requireNonNull(definitions, "definitions is null");
    }

    /**
     * @param description the table's description in the snapshot
     * @param parts the statistics of the partitions that a query reads
     */
    TableStatistics read(
            ConnectorSession session,
            SteleTableHandle handle,
            Optional<TableDescription> description,
            BiFunction<
                            TableDescription,
                            ScanPredicate,
                            io.stele.protocol.api.catalog.TableStatistics>
                    parts) {
        if (!SteleSessionProperties.isStatisticsEnabled(session)
                || handle.aggregation().isPresent()
                || description.isEmpty()
                || !description.get().schema().id().equals(handle.table().id())) {
            return TableStatistics.empty();
        }
        if (handle.constraint().isNone()) {
            return TableStatistics.builder().setRowCount(Estimate.zero()).build();
        }
        TupleDomain<SteleColumnHandle> partitions = PartitionConstraints.enforced(handle);
        if (partitions.isAll()) {
            return ofTables.of(description.get());
        }
        return toTrino(
                description.get().schema(),
                parts.apply(description.get(), ScanPredicates.of(handle.table(), partitions)));
    }

    private TableStatistics toTrino(
            TableSchema table, io.stele.protocol.api.catalog.TableStatistics known) {
        TableStatistics.Builder builder =
                TableStatistics.builder().setRowCount(Estimate.of((double) known.rowCount()));
        for (ColumnSchema column : table.columns()) {
            ColumnStats stats = known.columns().getOrDefault(column.id(), ColumnStats.UNKNOWN);
            ColumnSize size = known.sizes().getOrDefault(column.id(), ColumnSize.UNKNOWN);
            SteleColumnHandle handle = definitions.columnHandle(column);
            ColumnStatistics statistics =
                    column(column, handle.type(), stats, size, known.rowCount());
            if (!statistics.equals(ColumnStatistics.empty())) {
                builder.setColumnStatistics(handle, statistics);
            }
        }
        return builder.build();
    }

    private static ColumnStatistics column(
            ColumnSchema column, Type type, ColumnStats stats, ColumnSize size, long rowCount) {
        ColumnStatistics.Builder builder = ColumnStatistics.builder();
        if (stats.hasNullCount() && rowCount > 0) {
            builder.setNullsFraction(
                    Estimate.of(Math.min(1.0, (double) stats.nullCount() / rowCount)));
        }
        if (size.distinctCount() >= 0) {
            builder.setDistinctValuesCount(Estimate.of((double) size.distinctCount()));
        }
        if (size.valueBytes() >= 0 && column.type().form().isVariable()) {
            builder.setDataSize(Estimate.of((double) size.valueBytes()));
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
