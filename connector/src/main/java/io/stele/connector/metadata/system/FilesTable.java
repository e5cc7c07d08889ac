package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.airlift.slice.Slice;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.PartitionValues;
import io.stele.protocol.api.maintenance.TableFile;
import io.stele.protocol.api.maintenance.TableShardFiles;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The system table {@code "t$files"} of a table's current files, including those of its secondary
 * indexes, as the sidecar lists them at the query.
 */
final class FilesTable extends MetadataTable {
    private final TableSchema table;
    private final CatalogRequests catalog;
    private final Optional<PartitionValues> partitions;

    /**
     * @param partitions of a table whose files are separated by partition
     */
    FilesTable(
            SchemaTableName name,
            TableSchema table,
            CatalogRequests catalog,
            Optional<PartitionValues> partitions) {
        super(name, columns(partitions));
        this.table = requireNonNull(table, "table is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.partitions = partitions;
    }

    private static List<ColumnMetadata> columns(Optional<PartitionValues> partitions) {
        ImmutableList.Builder<ColumnMetadata> columns = ImmutableList.builder();
        columns.add(new ColumnMetadata("shard", INTEGER));
        columns.add(new ColumnMetadata("file_path", VARCHAR));
        columns.add(new ColumnMetadata("file_format", VARCHAR));
        columns.add(new ColumnMetadata("index_name", VARCHAR));
        columns.add(new ColumnMetadata("level", INTEGER));
        partitions.ifPresent(
                values -> columns.add(new ColumnMetadata("partition", values.rowType())));
        columns.add(new ColumnMetadata("record_count", BIGINT));
        columns.add(new ColumnMetadata("deleted_count", BIGINT));
        columns.add(new ColumnMetadata("file_size_in_bytes", BIGINT));
        columns.add(new ColumnMetadata("min_lsn", BIGINT));
        columns.add(new ColumnMetadata("max_lsn", BIGINT));
        columns.add(new ColumnMetadata("schema_version", INTEGER));
        return columns.build();
    }

    @Override
    void addRows(Rows rows) {
        for (TableShardFiles shard : catalog.files(table).shards()) {
            for (TableFile file : shard.files()) {
                List<@Nullable Object> row = new ArrayList<>();
                row.add((long) shard.shard().index());
                row.add(utf8Slice(file.path()));
                row.add(utf8Slice(file.column() ? "ORC" : "ROW"));
                row.add(indexName(file));
                row.add((long) file.level());
                partitions.ifPresent(
                        values -> row.add(file.partition().map(values::row).orElse(null)));
                row.add(file.rowCount());
                row.add(file.deletedCount());
                row.add(file.sizeBytes());
                row.add(file.minLsn().value());
                row.add(file.maxLsn().value());
                row.add((long) file.schemaVersion());
                rows.add(row.toArray());
            }
        }
    }

    private @Nullable Slice indexName(TableFile file) {
        if (file.indexId().isEmpty()) {
            return null;
        }
        int id = file.indexId().getAsInt();
        String name =
                table.options().indexes().stream()
                        .filter(index -> index.id() == id)
                        .map(IndexSchema::name)
                        .findFirst()
                        .orElse("#" + id); // dropped or added since the table was looked up
        return utf8Slice(name);
    }
}
