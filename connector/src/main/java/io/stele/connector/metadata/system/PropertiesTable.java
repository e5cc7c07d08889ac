package io.stele.connector.metadata.system;

import static io.airlift.slice.Slices.utf8Slice;
import static io.trino.spi.type.VarcharType.VARCHAR;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import io.stele.connector.metadata.catalog.TableProperties;
import io.stele.protocol.schema.FileCompression;
import io.stele.protocol.schema.IndexDefinition;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.SchemaTableName;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The system table {@code "t$properties"} of a table's properties and identity; it shows the
 * orientation and the shard count also at their defaults.
 */
final class PropertiesTable extends MetadataTable {
    private final TableSchema table;

    PropertiesTable(SchemaTableName name, TableSchema table) {
        super(
                name,
                ImmutableList.of(
                        new ColumnMetadata("key", VARCHAR), new ColumnMetadata("value", VARCHAR)));
        this.table = requireNonNull(table, "table is null");
    }

    @Override
    void addRows(Rows rows) {
        Map<String, String> properties = new TreeMap<>();
        properties.put(TableProperties.ORIENTATION, table.orientation().text());
        properties.put(TableProperties.SHARD_COUNT, Integer.toString(table.shardCount()));
        TableProperties.of(table).forEach((key, value) -> properties.put(key, text(value)));
        properties.put("table_id", table.id().toString());
        properties.put("schema_version", Integer.toString(table.schemaVersion()));
        properties.forEach((key, value) -> rows.add(utf8Slice(key), utf8Slice(value)));
    }

    private static String text(Object value) {
        return switch (value) {
            case List<?> list ->
                    list.stream().map(PropertiesTable::text).collect(Collectors.joining(", "));
            case Orientation orientation -> orientation.text();
            case FileCompression compression -> compression.text();
            case IndexDefinition index -> index.text();
            default -> value.toString();
        };
    }
}
