package io.stele.connector.metadata.system;

import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.PartitionValues;
import io.stele.protocol.api.maintenance.PartitionFiles;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The system table {@code "t$partitions"} of a table's partitions that have column files, with the
 * present number of rows, files and bytes. Rows in memory are not counted.
 */
final class PartitionsTable extends MetadataTable {
    private final TableSchema table;
    private final CatalogRequests catalog;
    private final PartitionValues values;

    PartitionsTable(
            SchemaTableName name,
            TableSchema table,
            CatalogRequests catalog,
            PartitionValues values) {
        super(name, columns(values));
        this.table = requireNonNull(table, "table is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.values = requireNonNull(values, "values is null");
    }

    private static List<ColumnMetadata> columns(PartitionValues values) {
        return ImmutableList.<ColumnMetadata>builder()
                .addAll(values.columnMetadata())
                .add(new ColumnMetadata("record_count", BIGINT))
                .add(new ColumnMetadata("file_count", BIGINT))
                .add(new ColumnMetadata("total_size", BIGINT))
                .build();
    }

    @Override
    void addRows(Rows rows) {
        for (PartitionFiles partition : catalog.partitions(table)) {
            List<@Nullable Object> row = new ArrayList<>(values.values(partition.partition()));
            row.add(partition.rowCount());
            row.add(partition.fileCount());
            row.add(partition.sizeBytes());
            rows.add(row.toArray());
        }
    }
}
