package io.stele.connector.metadata;

import io.stele.connector.handle.StelePartitioningHandle;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import java.util.List;
import java.util.Optional;

/**
 * Factory methods for the partitioning of a table's rows over Trino's writers, for INSERT, UPDATE,
 * DELETE and MERGE. Stateless.
 */
final class WriteLayouts {
    private WriteLayouts() {}

    /** The distribution of the rows of an INSERT to writers. */
    static Optional<ConnectorTableLayout> insert(TableSchema table) {
        return partitioning(table, false)
                .map(
                        partitioning ->
                                new ConnectorTableLayout(
                                        partitioning,
                                        table.distributionColumns().stream()
                                                .map(ColumnSchema::name)
                                                .toList(),
                                        false));
    }

    /** The distribution of the rows of an UPDATE, DELETE or MERGE to writers. */
    static Optional<ConnectorPartitioningHandle> update(TableSchema table) {
        return partitioning(table, true);
    }

    /** Empty without a primary key, because only rows with equal keys need a common writer. */
    private static Optional<ConnectorPartitioningHandle> partitioning(
            TableSchema table, boolean rowId) {
        if (!table.hasPrimaryKey()) {
            return Optional.empty();
        }
        return Optional.of(rowId ? handle(table, true) : byKey(table));
    }

    /** The partitioning by shard, for writers and for scans that are grouped by shard. */
    static StelePartitioningHandle byKey(TableSchema table) {
        return handle(table, false);
    }

    private static StelePartitioningHandle handle(TableSchema table, boolean rowId) {
        List<DataType> types =
                table.distributionColumns().stream().map(ColumnSchema::type).toList();
        return new StelePartitioningHandle(table.shardCount(), types, rowId);
    }
}
