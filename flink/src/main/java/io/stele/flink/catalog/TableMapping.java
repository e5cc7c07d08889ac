package io.stele.flink.catalog;

import io.stele.flink.option.CreationOptions;
import io.stele.flink.type.FlinkTypes;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.utils.TypeConversions;

/**
 * The mapping between table definitions of Flink's catalog and of Stele's, in both directions.
 * Stateless.
 */
final class TableMapping {
    private TableMapping() {}

    /** Stele's table as a Flink table. The catalog's factory makes its sources and sinks. */
    static CatalogTable toFlink(TableSchema schema) {
        Schema.Builder columns = Schema.newBuilder();
        for (ColumnSchema column : schema.columns()) {
            LogicalType type =
                    FlinkTypes.toFlink(column.type())
                            .orElseThrow(
                                    () ->
                                            new CatalogException(
                                                    "Expected columns of types that Flink has, found column '%s' of type %s in table %s; declare the other columns in a table with 'connector' = 'stele'"
                                                            .formatted(
                                                                    column.name(),
                                                                    column.type(),
                                                                    schema.qualifiedName())));
            columns.column(
                    column.name(),
                    TypeConversions.fromLogicalToDataType(type.copy(column.nullable())));
            column.comment().ifPresent(columns::withComment);
        }
        if (schema.hasPrimaryKey()) {
            columns.primaryKey(
                    schema.primaryKeyColumns().stream().map(ColumnSchema::name).toList());
        }
        Map<String, String> options = new HashMap<>();
        options.put(CreationOptions.SHARD_COUNT.key(), Integer.toString(schema.shardCount()));
        options.put(CreationOptions.ORIENTATION.key(), schema.orientation().text());
        if (!schema.distributionKey().isEmpty()) {
            options.put(
                    CreationOptions.DISTRIBUTION_KEY.key(),
                    String.join(
                            ";",
                            schema.columns(schema.distributionKey()).stream()
                                    .map(ColumnSchema::name)
                                    .toList()));
        }
        return CatalogTable.newBuilder()
                .schema(columns.build())
                .comment(schema.comment().orElse(""))
                .partitionKeys(
                        schema.columns(schema.partitionedBy()).stream()
                                .map(ColumnSchema::name)
                                .toList())
                .options(options)
                .build();
    }

    /** The name of the table group for a new table; empty: the default group. */
    static String tableGroup(ResolvedCatalogTable table) {
        return Configuration.fromMap(table.getOptions()).get(CreationOptions.TABLE_GROUP);
    }

    /**
     * The definition of a new table in Stele.
     *
     * @throws CatalogException the table has an option, column or key that Stele does not support
     */
    static TableSchema toStele(ObjectPath path, ResolvedCatalogTable table) {
        Set<String> unknown = new HashSet<>(table.getOptions().keySet());
        List<String> known = CreationOptions.ALL.stream().map(ConfigOption::key).sorted().toList();
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new CatalogException(
                    "Expected options of %s for table %s, found %s"
                            .formatted(known, path, unknown));
        }
        if (!table.getResolvedSchema().getWatermarkSpecs().isEmpty()) {
            throw new CatalogException(
                    "Expected no watermark in table %s, which Stele does not store"
                            .formatted(path));
        }
        List<String> keys =
                table.getResolvedSchema()
                        .getPrimaryKey()
                        .map(UniqueConstraint::getColumns)
                        .orElse(List.of());
        List<ColumnSchema> columns = new ArrayList<>();
        for (Column column : table.getResolvedSchema().getColumns()) {
            columns.add(column(path, column, columns.size() + 1, keys));
        }
        Configuration options = Configuration.fromMap(table.getOptions());
        try {
            return TableSchema.builder(path.getDatabaseName(), path.getObjectName())
                    .columns(columns)
                    .primaryKey(ids(path, columns, keys))
                    .distributionKey(
                            ids(
                                    path,
                                    columns,
                                    options.getOptional(CreationOptions.DISTRIBUTION_KEY)
                                            .orElse(List.of())))
                    .partitionedBy(ids(path, columns, table.getPartitionKeys()))
                    .orientation(Orientation.parse(options.get(CreationOptions.ORIENTATION)))
                    .shardCount(options.get(CreationOptions.SHARD_COUNT))
                    .comment(
                            Optional.ofNullable(table.getComment()).filter(text -> !text.isEmpty()))
                    .build();
        } catch (SteleException | IllegalArgumentException wrong) {
            throw new CatalogException(
                    "Cannot create table %s: %s".formatted(path, wrong.getMessage()), wrong);
        }
    }

    private static ColumnSchema column(ObjectPath path, Column column, int id, List<String> keys) {
        if (!column.isPhysical()) {
            throw new CatalogException(
                    "Expected physical columns in table %s, found '%s', which is computed or metadata"
                            .formatted(path, column.getName()));
        }
        LogicalType type = column.getDataType().getLogicalType();
        return new ColumnSchema(
                id,
                column.getName(),
                stored(path, column.getName(), type),
                type.isNullable() && !keys.contains(column.getName()),
                column.getComment());
    }

    /**
     * The type in Stele of a column of a Flink type.
     *
     * @throws CatalogException Stele has no such type
     */
    static DataType stored(ObjectPath path, String column, LogicalType type) {
        return FlinkTypes.toStele(type)
                .orElseThrow(
                        () ->
                                new CatalogException(
                                        "Expected a type that Stele stores for column '%s' of table %s, found %s"
                                                .formatted(column, path, type)));
    }

    private static List<Integer> ids(
            ObjectPath path, List<ColumnSchema> columns, List<String> names) {
        return names.stream()
                .map(
                        name ->
                                columns.stream()
                                        .filter(column -> column.name().equals(name))
                                        .findFirst()
                                        .orElseThrow(
                                                () ->
                                                        new CatalogException(
                                                                "Expected a column of table %s, found '%s'"
                                                                        .formatted(path, name)))
                                        .id())
                .toList();
    }
}
