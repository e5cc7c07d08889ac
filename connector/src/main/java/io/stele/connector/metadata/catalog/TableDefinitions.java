package io.stele.connector.metadata.catalog;

import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.stele.connector.error.SteleErrors;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexDefinition;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableSchema;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.RowType;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A converter of table and column definitions between Trino's form and Stele's, for the metadata of
 * a catalog. Thread-safe.
 */
public final class TableDefinitions {
    private final TrinoTypes types;
    private final DerivedValueCache<TableSchema, ConnectorTableSchema> schemas =
            new DerivedValueCache<>(table -> toTrino(table).getTableSchema());
    private final DerivedValueCache<TableSchema, Map<String, ColumnHandle>> handles =
            new DerivedValueCache<>(this::handlesByName);

    @Inject
    public TableDefinitions(TrinoTypes types) {
        this.types = requireNonNull(types, "types is null");
    }

    /** As {@link #toTrino(TableSchema)}, without the parts that planning does not use. */
    public ConnectorTableSchema schema(TableSchema table) {
        return schemas.of(table);
    }

    /** All columns of the table, hidden ones too, by name. */
    public Map<String, ColumnHandle> handles(TableSchema table) {
        return handles.of(table);
    }

    private Map<String, ColumnHandle> handlesByName(TableSchema table) {
        ImmutableMap.Builder<String, ColumnHandle> byName = ImmutableMap.builder();
        columnHandles(table).forEach(column -> byName.put(column.name(), column));
        SteleColumnHandle.HIDDEN.forEach(column -> byName.put(column.name(), column));
        return byName.buildOrThrow();
    }

    /** The types that columns have in SQL. */
    public TrinoTypes types() {
        return types;
    }

    /** The definition of a table to create; the sidecar chooses its id and version. */
    public TableSchema toStele(ConnectorTableMetadata table) {
        Map<String, Object> properties = table.getProperties();
        List<String> primaryKey = ColumnLists.names(properties, TableProperties.PRIMARY_KEY);
        List<ColumnSchema> columns = new ArrayList<>();
        for (ColumnMetadata column : table.getColumns()) {
            columns.add(
                    SteleErrors.translated(
                            () ->
                                    new ColumnSchema(
                                                    columns.size() + 1,
                                                    column.getName(),
                                                    types.toStele(
                                                            column.getName(), column.getType()),
                                                    column.isNullable()
                                                            && !primaryKey.contains(
                                                                    column.getName()),
                                                    column.getComment())
                                            .withDefault(column.getDefaultValue())));
        }
        return SteleErrors.translated(
                () ->
                        TableSchema.builder(
                                        table.getTable().getSchemaName(),
                                        table.getTable().getTableName())
                                .columns(columns)
                                .primaryKey(ids(columns, properties, TableProperties.PRIMARY_KEY))
                                .distributionKey(
                                        ids(columns, properties, TableProperties.DISTRIBUTION_KEY))
                                .clusteringKey(
                                        ids(columns, properties, TableProperties.CLUSTERING_KEY))
                                .partitionedBy(
                                        ids(columns, properties, TableProperties.PARTITIONED_BY))
                                .orientation(TableProperties.orientation(properties))
                                .shardCount(TableProperties.shardCount(properties))
                                .comment(table.getComment())
                                .options(options(columns, properties))
                                .build());
    }

    /** The type that a column or field is stored in; throws if Stele does not store the type. */
    public DataType toStele(String name, Type type) {
        return types.toStele(name, type);
    }

    public ConnectorTableMetadata toTrino(TableSchema table) {
        List<ColumnMetadata> columns = new ArrayList<>();
        for (ColumnSchema column : table.columns()) {
            columns.add(
                    ColumnMetadata.builderFrom(toTrino(column))
                            .setExtraInfo(uses(table, column))
                            .build());
        }
        SteleColumnHandle.HIDDEN.forEach(column -> columns.add(hidden(column)));
        return new ConnectorTableMetadata(
                new SchemaTableName(table.schemaName(), table.tableName()),
                columns,
                TableProperties.of(table),
                table.comment());
    }

    /** The uses of a column, as DESCRIBE shows them; empty: none. */
    private static Optional<String> uses(TableSchema table, ColumnSchema column) {
        List<String> uses = new ArrayList<>();
        if (table.primaryKey().contains(column.id())) {
            uses.add("primary key");
        }
        if (table.partitionedBy().contains(column.id())) {
            uses.add("partition key");
        }
        for (IndexSchema index : table.options().indexes()) {
            if (index.columns().contains(column.id())) {
                uses.add((index.unique() ? "unique index " : "index ") + index.name());
            }
        }
        return uses.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", uses));
    }

    public ColumnMetadata toTrino(ColumnSchema column) {
        return ColumnMetadata.builder()
                .setName(column.name())
                .setType(types.toTrino(column.type()))
                .setNullable(column.nullable())
                .setComment(column.comment())
                .setDefaultValue(column.defaultValue())
                .build();
    }

    /** A column that SELECT * does not show. */
    public static ColumnMetadata hidden(SteleColumnHandle column) {
        return ColumnMetadata.builder()
                .setName(column.name())
                .setType(column.type())
                .setHidden(true)
                .build();
    }

    /** Handles of the table's own columns, in order. */
    public List<SteleColumnHandle> columnHandles(TableSchema table) {
        return table.columns().stream().map(this::columnHandle).toList();
    }

    public SteleColumnHandle columnHandle(ColumnSchema column) {
        return new SteleColumnHandle(column.id(), column.name(), types.toTrino(column.type()));
    }

    /**
     * The column that identifies a row in UPDATE, DELETE and MERGE: its shard, and its key or
     * generated id.
     */
    public SteleColumnHandle mergeRowId(TableSchema table) {
        List<RowType.Field> fields = new ArrayList<>();
        fields.add(RowType.field("shard", IntegerType.INTEGER));
        if (table.hasPrimaryKey()) {
            List<ColumnSchema> key = table.primaryKeyColumns();
            for (int index = 0; index < key.size(); index++) {
                Type type = types.toTrino(key.get(index).type());
                fields.add(RowType.field("key" + index, type));
            }
        } else {
            fields.add(RowType.field("row_id", BigintType.BIGINT));
        }
        return SteleColumnHandle.mergeRowId(RowType.from(fields));
    }

    /** The options that properties set; options without a property have no value. */
    public static TableOptions options(List<ColumnSchema> columns, Map<String, Object> properties) {
        List<IndexSchema> indexes = new ArrayList<>();
        for (IndexDefinition index : TableProperties.indexes(properties)) {
            indexes.add(
                    new IndexSchema(
                            indexes.size() + 1,
                            index.name(),
                            ids(columns, TableProperties.INDEXES, index.columns()),
                            index.unique(),
                            true));
        }
        return new TableOptions(
                        TableProperties.millis(properties, TableProperties.RETENTION),
                        TableProperties.millis(properties, TableProperties.TIME_TO_LIVE),
                        ids(columns, properties, TableProperties.SEGMENT_KEY),
                        ids(columns, properties, TableProperties.BITMAP_COLUMNS),
                        ids(columns, properties, TableProperties.DICTIONARY_COLUMNS),
                        indexes)
                .withCompression(TableProperties.compression(properties));
    }

    private static List<Integer> ids(
            List<ColumnSchema> columns, Map<String, Object> properties, String property) {
        return ids(columns, property, ColumnLists.names(properties, property));
    }

    private static List<Integer> ids(
            List<ColumnSchema> columns, String property, List<String> names) {
        return names.stream()
                .map(
                        name ->
                                columns.stream()
                                        .filter(column -> column.name().equals(name))
                                        .findFirst()
                                        .orElseThrow(() -> unknownColumn(property, name))
                                        .id())
                .toList();
    }

    private static TrinoException unknownColumn(String property, String name) {
        return new TrinoException(
                INVALID_TABLE_PROPERTY,
                "Expected columns of the table in %s, found '%s'".formatted(property, name));
    }
}
