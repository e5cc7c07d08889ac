package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.IntegerType.INTEGER;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.protocol.api.maintenance.ListFilesReply;
import io.stele.protocol.api.maintenance.TableFile;
import io.stele.protocol.api.maintenance.TableShardFiles;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;

/**
 * The system table {@code "t$shards"} of a table's shards, with the table's rows in memory and
 * files in each shard.
 */
final class ShardsTable extends MetadataTable {
    private final TableSchema table;
    private final CatalogRequests catalog;

    ShardsTable(SchemaTableName name, TableSchema table, CatalogRequests catalog) {
        super(
                name,
                ImmutableList.of(
                        new ColumnMetadata("shard", INTEGER),
                        new ColumnMetadata("node", VARCHAR),
                        new ColumnMetadata("applied_lsn", BIGINT),
                        new ColumnMetadata("memory_rows", BIGINT),
                        new ColumnMetadata("memory_bytes", BIGINT),
                        new ColumnMetadata("file_count", BIGINT),
                        new ColumnMetadata("total_size", BIGINT)));
        this.table = requireNonNull(table, "table is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
    }

    @Override
    void addRows(Rows rows) {
        ListFilesReply reply = catalog.files(table);
        for (TableShardFiles shard : reply.shards()) {
            rows.add(
                    (long) shard.shard().index(),
                    utf8Slice(reply.nodeId()),
                    shard.appliedLsn().value(),
                    shard.memoryRows(),
                    shard.memoryBytes(),
                    (long) shard.files().size(),
                    shard.files().stream().mapToLong(TableFile::sizeBytes).sum());
        }
    }
}
