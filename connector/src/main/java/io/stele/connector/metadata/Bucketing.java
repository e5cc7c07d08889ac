package io.stele.connector.metadata;

import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.StelePartitioningHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTablePartitioning;
import io.trino.spi.connector.ConnectorTableProperties;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.Optional;

/**
 * The planning decision to group a scan's splits by shard, so that joins and aggregations on the
 * distribution key need no exchange. Two tables match if they have equal shard counts and the same
 * types of distribution columns. Their table groups do not matter, because shards are chosen by
 * hash alone. Stateless.
 */
final class Bucketing {
    /** Reused, because Trino requests it repeatedly during planning. */
    private static final ConnectorTableProperties NOT_GROUPED = new ConnectorTableProperties();

    private Bucketing() {}

    /**
     * Returns the scan grouped by shard if rows with equal values in the columns are in one shard,
     * else empty.
     *
     * @param wanted the partitioning of another input that the scan must match; empty: any
     */
    static Optional<ConnectorTableHandle> apply(
            ConnectorSession session,
            TableDefinitions definitions,
            SteleTableHandle table,
            Optional<ConnectorPartitioningHandle> wanted,
            List<ColumnHandle> columns) {
        // A lookup is one split; tables without a key may have nulls in the columns
        if (!SteleSessionProperties.isBucketExecutionEnabled(session)
                || table.lookup().isPresent()
                || table.aggregation().isPresent()
                || !table.table().hasPrimaryKey()) {
            return Optional.empty();
        }
        List<ColumnHandle> distribution = distribution(definitions, table.table());
        boolean goesTogether =
                wanted.isEmpty()
                        ? columns.containsAll(distribution)
                        : wanted.get().equals(partitioning(table.table()))
                                && columns.equals(distribution);
        return goesTogether ? Optional.of(table.groupedByShard()) : Optional.empty();
    }

    static ConnectorTableProperties properties(
            TableDefinitions definitions, SteleTableHandle table) {
        if (!table.byShard()) {
            return NOT_GROUPED;
        }
        return new ConnectorTableProperties(
                TupleDomain.all(),
                Optional.of(
                        new ConnectorTablePartitioning(
                                partitioning(table.table()),
                                distribution(definitions, table.table()))),
                Optional.empty(),
                List.of());
    }

    private static StelePartitioningHandle partitioning(TableSchema table) {
        return WriteLayouts.byKey(table);
    }

    private static List<ColumnHandle> distribution(
            TableDefinitions definitions, TableSchema table) {
        return table.distributionColumns().stream()
                .map(definitions::columnHandle)
                .map(ColumnHandle.class::cast)
                .toList();
    }
}
