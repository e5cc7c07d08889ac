package io.stele.flink.table;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.flink.option.ConnectionOptions;
import io.stele.flink.type.FlinkTypes;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * A table with the columns that a Flink statement declares for it, checked against the sidecar when
 * the statement was planned. Immutable, and serialized into the job's tasks.
 *
 * <p>Invariant: each declared field has a column of its name, whose values its type can represent.
 */
public final class BoundTable implements Serializable {
    private static final long serialVersionUID = 1;

    private final ConnectionOptions connection;
    private final byte[] schemaJson;
    private final long rowCount;
    private final RowType declared;
    private final int[] columnIds;

    private BoundTable(
            ConnectionOptions connection,
            TableDescription description,
            RowType declared,
            int[] columnIds) {
        this.connection = connection;
        this.schemaJson = ApiJson.write(description.schema());
        this.rowCount = description.statistics().rowCount();
        this.declared = declared;
        this.columnIds = columnIds;
    }

    /**
     * Fetches a table and checks the declaration; blocks.
     *
     * @param declared the physical columns
     * @param primaryKey names of the declared primary key; empty: none is declared
     * @throws ValidationException there is no such table, or the declaration does not match it
     */
    public static BoundTable plan(
            ConnectionOptions connection,
            String schemaName,
            String tableName,
            RowType declared,
            List<String> primaryKey) {
        requireNonNull(connection, "connection is null");
        TableDescription description = describe(connection, schemaName, tableName);
        TableSchema schema = description.schema();
        int[] columnIds = new int[declared.getFieldCount()];
        for (int i = 0; i < columnIds.length; i++) {
            columnIds[i] = column(schema, declared.getFields().get(i)).id();
        }
        checkKey(schema, primaryKey);
        return new BoundTable(connection, description, declared, columnIds);
    }

    /**
     * Fetches a table and declares columns of it, with their nullability in Stele; blocks.
     *
     * @param columns their names in order; empty: all columns
     * @throws ValidationException there is no such table or column, or Flink has no such type
     */
    public static BoundTable declare(
            ConnectionOptions connection,
            String schemaName,
            String tableName,
            List<String> columns) {
        requireNonNull(connection, "connection is null");
        TableDescription description = describe(connection, schemaName, tableName);
        TableSchema schema = description.schema();
        List<ColumnSchema> declared =
                columns.isEmpty()
                        ? schema.columns()
                        : columns.stream().map(name -> column(schema, name)).toList();
        List<RowType.RowField> fields = new ArrayList<>();
        for (ColumnSchema column : declared) {
            LogicalType type =
                    FlinkTypes.toFlink(column.type())
                            .orElseThrow(
                                    () ->
                                            new ValidationException(
                                                    "Expected a column of a type that Flink has in table %s, found '%s' of type %s"
                                                            .formatted(
                                                                    schema.qualifiedName(),
                                                                    column.name(),
                                                                    column.type())));
            fields.add(new RowType.RowField(column.name(), type.copy(column.nullable())));
        }
        return new BoundTable(
                connection,
                description,
                new RowType(false, fields),
                declared.stream().mapToInt(ColumnSchema::id).toArray());
    }

    private static TableDescription describe(
            ConnectionOptions connection, String schemaName, String tableName) {
        try (SteleClient client = connection.open("flink-planner")) {
            return client.table(schemaName, tableName).description();
        } catch (SteleException e) {
            String found =
                    e.code() == ErrorCode.TABLE_NOT_FOUND || e.code() == ErrorCode.SCHEMA_NOT_FOUND
                            ? "none"
                            : e.code() + ": " + e.getMessage();
            throw new ValidationException(
                    "Expected table %s.%s in Stele at %s, found %s"
                            .formatted(schemaName, tableName, connection, found),
                    e);
        }
    }

    private static ColumnSchema column(TableSchema schema, String name) {
        return schema.findColumn(name)
                .orElseThrow(
                        () ->
                                new ValidationException(
                                        "Expected column '%s' in table %s of Stele, found only %s"
                                                .formatted(
                                                        name,
                                                        schema.qualifiedName(),
                                                        names(schema.columns()))));
    }

    private static ColumnSchema column(TableSchema schema, RowType.RowField field) {
        ColumnSchema column = column(schema, field.getName());
        if (!FlinkTypes.fits(field.getType(), column.type())) {
            throw new ValidationException(
                    "Expected column '%s' of table %s declared as %s, since it is %s in Stele; found %s"
                            .formatted(
                                    field.getName(),
                                    schema.qualifiedName(),
                                    FlinkTypes.toFlink(column.type())
                                            .map(Object::toString)
                                            .orElse("nothing (Flink has no such type)"),
                                    column.type(),
                                    field.getType()));
        }
        return column;
    }

    private static void checkKey(TableSchema schema, List<String> primaryKey) {
        Set<String> expected = lowerCase(names(schema.primaryKeyColumns()));
        if (!expected.equals(lowerCase(primaryKey))) {
            throw new ValidationException(
                    "Expected %s for table %s of Stele, found %s"
                            .formatted(
                                    keyClause(expected),
                                    schema.qualifiedName(),
                                    keyClause(lowerCase(primaryKey))));
        }
    }

    private static String keyClause(Set<String> columns) {
        return columns.isEmpty()
                ? "no primary key"
                : "PRIMARY KEY (" + String.join(", ", columns) + ") NOT ENFORCED";
    }

    private static List<String> names(List<ColumnSchema> columns) {
        return columns.stream().map(ColumnSchema::name).toList();
    }

    private static Set<String> lowerCase(List<String> names) {
        return names.stream()
                .map(name -> name.toLowerCase(java.util.Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The same table with fewer declared columns. */
    public BoundTable project(RowType projected, int[] fields) {
        int[] ids = new int[fields.length];
        for (int i = 0; i < fields.length; i++) {
            ids[i] = columnIds[fields[i]];
        }
        return new BoundTable(this, projected, ids);
    }

    private BoundTable(BoundTable whole, RowType declared, int[] columnIds) {
        this.connection = whole.connection;
        this.schemaJson = whole.schemaJson;
        this.rowCount = whole.rowCount;
        this.declared = declared;
        this.columnIds = columnIds;
    }

    public ConnectionOptions connection() {
        return connection;
    }

    /** The table when the statement was planned. */
    public TableSchema schema() {
        return ApiJson.read(schemaJson, TableSchema.class);
    }

    /** Approximate number of rows when the statement was planned. */
    public long rowCount() {
        return rowCount;
    }

    /** The declared columns. */
    public RowType declared() {
        return declared;
    }

    /** The ids of the declared columns, in order. */
    public List<Integer> columnIds() {
        List<Integer> ids = new ArrayList<>(columnIds.length);
        for (int id : columnIds) {
            ids.add(id);
        }
        return List.copyOf(ids);
    }

    /** Fetches the table as it is now; blocks. */
    public SteleTable open(SteleClient client) {
        TableSchema planned = schema();
        return client.table(planned.schemaName(), planned.tableName());
    }

    /** {@code schema.table}. */
    @Override
    public String toString() {
        return schema().qualifiedName();
    }
}
