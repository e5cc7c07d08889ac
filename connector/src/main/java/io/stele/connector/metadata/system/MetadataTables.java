package io.stele.connector.metadata.system;

import static java.util.Objects.requireNonNull;

import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.PartitionConstraints;
import io.stele.connector.metadata.catalog.PartitionValues;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import java.util.Optional;
import java.util.function.Function;

/** A factory of the system tables beside each table, such as {@code "t$files"}, by name. */
public final class MetadataTables {
    private final CatalogRequests catalog;
    private final TrinoTypes types;

    public MetadataTables(CatalogRequests catalog, TrinoTypes types) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.types = requireNonNull(types, "types is null");
    }

    /**
     * The metadata table of a name; empty if the name belongs to no metadata table.
     *
     * @param tables finds a table
     */
    public Optional<SystemTable> find(
            SchemaTableName name, Function<SchemaTableName, Optional<TableSchema>> tables) {
        int end = name.getTableName().lastIndexOf('$');
        if (end <= 0) {
            return Optional.empty();
        }
        String kind = name.getTableName().substring(end + 1);
        return tables.apply(
                        new SchemaTableName(
                                name.getSchemaName(), name.getTableName().substring(0, end)))
                .flatMap(table -> of(name, table, kind));
    }

    private Optional<SystemTable> of(SchemaTableName name, TableSchema table, String kind) {
        boolean separated = PartitionConstraints.hasPartitionFiles(table);
        return switch (kind) {
            case "files" ->
                    Optional.of(
                            new FilesTable(
                                    name,
                                    table,
                                    catalog,
                                    separated
                                            ? Optional.of(new PartitionValues(table, types))
                                            : Optional.empty()));
            case "history" -> Optional.of(new HistoryTable(name, table, catalog));
            case "snapshots" -> Optional.of(new SnapshotsTable(name, table, catalog));
            case "indexes" -> Optional.of(new IndexesTable(name, table));
            case "partitions" ->
                    separated
                            ? Optional.of(
                                    new PartitionsTable(
                                            name,
                                            table,
                                            catalog,
                                            new PartitionValues(table, types)))
                            : Optional.empty();
            case "properties" -> Optional.of(new PropertiesTable(name, table));
            case "shards" -> Optional.of(new ShardsTable(name, table, catalog));
            default -> Optional.empty();
        };
    }
}
