package io.stele.paimon.metadata;

import static io.trino.spi.StandardErrorCode.ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.COLUMN_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.INVALID_TABLE_PROPERTY;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static io.trino.spi.StandardErrorCode.SCHEMA_NOT_EMPTY;
import static io.trino.spi.StandardErrorCode.SCHEMA_NOT_FOUND;
import static io.trino.spi.StandardErrorCode.TABLE_ALREADY_EXISTS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.stele.paimon.error.PaimonErrorCode;
import io.stele.paimon.store.Lake;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.AccessDeniedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.privilege.NoPrivilegeException;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.RowType;

/**
 * The executor of statements that create, alter, rename or drop schemas and tables in Paimon's
 * catalog, shared by all transactions. Thread-safe; waits for the metastore.
 */
final class TableDefinitions {
    /** Names of folders have 255 bytes in most file systems, and those of schemas end in ".db". */
    private static final int MAX_NAME_BYTES = 250;

    private final Lake lake;
    private final TableNames names;
    private final WritableTables tables;

    TableDefinitions(Lake lake, TableNames names, WritableTables tables) {
        this.lake = requireNonNull(lake, "lake is null");
        this.names = requireNonNull(names, "names is null");
        this.tables = requireNonNull(tables, "tables is null");
    }

    /** A change of the catalog. */
    private interface Change {
        void run() throws Exception;
    }

    void createSchema(String schema, Map<String, Object> properties) {
        tables.checkEnabled();
        checkName("schema", schema);
        if (!properties.isEmpty()) {
            throw new TrinoException(
                    NOT_SUPPORTED, "Expected a schema without properties, found " + properties);
        }
        change("create schema " + schema, () -> lake.catalog().createDatabase(schema, false));
        tables.schemaChanged(schema);
    }

    void dropSchema(String schema, boolean cascade) {
        tables.checkEnabled();
        String database = database(schema);
        if (cascade) {
            // Table by table, so that the cached leases of each are dropped
            for (String table : names.tables(schema)) {
                drop(new SchemaTableName(schema, table));
            }
        }
        change("drop schema " + schema, () -> lake.catalog().dropDatabase(database, false, false));
        tables.schemaChanged(schema);
    }

    private String database(String schema) {
        return names.findDatabase(schema)
                .orElseThrow(
                        () ->
                                new TrinoException(
                                        SCHEMA_NOT_FOUND, "Schema %s not found".formatted(schema)));
    }

    /**
     * Creates a table.
     *
     * @return the new table; empty: it existed already, which the statement allows
     */
    Optional<FileStoreTable> create(ConnectorTableMetadata metadata, SaveMode mode) {
        tables.checkEnabled();
        SchemaTableName name = metadata.getTable();
        if (mode == SaveMode.REPLACE) {
            throw new TrinoException(
                    NOT_SUPPORTED, "This connector does not support replacing tables");
        }
        checkName("table", name.getTableName());
        Identifier identifier =
                Identifier.create(database(name.getSchemaName()), name.getTableName());
        Schema schema = schema(metadata);
        if (names.find(name).isPresent()) {
            if (mode == SaveMode.IGNORE) {
                return Optional.empty();
            }
            throw new TrinoException(
                    TABLE_ALREADY_EXISTS, "Table %s already exists".formatted(name));
        }
        change("create table " + name, () -> lake.catalog().createTable(identifier, schema, false));
        FileStoreTable created = tables.find(name);
        // Another table may have had the same name before
        tables.changed(name, created);
        return Optional.of(created);
    }

    /** The schema that a new table would have. */
    TableSchema preview(ConnectorTableMetadata metadata) {
        Schema schema = schema(metadata);
        try {
            return TableSchema.create(0, schema);
        } catch (RuntimeException e) {
            throw translate("create table " + metadata.getTable(), e);
        }
    }

    private static Schema schema(ConnectorTableMetadata metadata) {
        Map<String, Object> properties = metadata.getProperties();
        Schema.Builder builder = Schema.newBuilder();
        Set<String> columns = new HashSet<>();
        for (ColumnMetadata column : metadata.getColumns()) {
            checkPlain(column);
            columns.add(column.getName());
            builder.column(
                    column.getName(),
                    PaimonTypes.toPaimon(column.getName(), column.getType())
                            .copy(column.isNullable()),
                    column.getComment().orElse(null));
        }
        List<String> primaryKey = checked(TableProperties.primaryKey(properties), columns);
        List<String> partitionedBy = checked(TableProperties.partitionedBy(properties), columns);
        if (!primaryKey.isEmpty()) {
            builder.primaryKey(primaryKey);
        }
        if (!partitionedBy.isEmpty()) {
            builder.partitionKeys(partitionedBy);
        }
        builder.options(TableProperties.toOptions(properties));
        metadata.getComment().ifPresent(builder::comment);
        try {
            return builder.build();
        } catch (RuntimeException e) {
            throw translate("create table " + metadata.getTable(), e);
        }
    }

    private static List<String> checked(List<String> names, Set<String> columns) {
        for (String name : names) {
            if (!columns.contains(name)) {
                throw new TrinoException(
                        INVALID_TABLE_PROPERTY,
                        "Expected a column of the table, found %s, which is none of %s"
                                .formatted(name, columns));
            }
        }
        return names;
    }

    static void checkPlain(ColumnMetadata column) {
        if (column.getDefaultValue().isPresent()) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a column without a default value, found column " + column.getName());
        }
        if (!column.getName().equals(column.getName().strip()) || column.getName().isEmpty()) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a column name without spaces around it, found '%s'"
                            .formatted(column.getName()));
        }
    }

    private static void checkName(String what, String name) {
        if (!TableNames.isPlain(name) || name.indexOf('$') >= 0 || !name.equals(name.strip())) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a name of a %s that can be a folder, without '$', found '%s'"
                            .formatted(what, name));
        }
        int bytes = name.getBytes(UTF_8).length;
        if (bytes > MAX_NAME_BYTES) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a name of a %s of at most %s bytes, found %s"
                            .formatted(what, MAX_NAME_BYTES, bytes));
        }
    }

    void drop(SchemaTableName name) {
        FileStoreTable table = tables.find(name);
        Identifier identifier = identifier(name, table);
        change("drop table " + name, () -> lake.catalog().dropTable(identifier, false));
        tables.changed(name, table);
    }

    /**
     * Drops a table that a failed statement has created, unless another table has its name by now.
     */
    void dropCreated(SchemaTableName name, FileStoreTable created) {
        FileStoreTable present = tables.find(name);
        boolean isSame =
                present.location().equals(created.location())
                        && present.schema().id() == created.schema().id()
                        && present.schema().timeMillis() == created.schema().timeMillis();
        if (isSame) {
            drop(name);
        }
    }

    void rename(SchemaTableName name, SchemaTableName newName) {
        FileStoreTable table = tables.find(name);
        checkName("table", newName.getTableName());
        Identifier target =
                Identifier.create(database(newName.getSchemaName()), newName.getTableName());
        if (names.find(newName).isPresent()) {
            throw new TrinoException(
                    TABLE_ALREADY_EXISTS, "Table %s already exists".formatted(newName));
        }
        Identifier identifier = identifier(name, table);
        change("rename table " + name, () -> lake.catalog().renameTable(identifier, target, false));
        tables.changed(name, table);
        // Another table may have had the new name before
        tables.changed(newName, tables.find(newName));
    }

    private static Identifier identifier(SchemaTableName name, FileStoreTable table) {
        Identifier identifier = requireNonNull(table.catalogEnvironment().identifier());
        if (identifier.getBranchName() != null) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a table, found branch %s, which CALL system.delete_branch drops"
                            .formatted(name));
        }
        return identifier;
    }

    /** Applies changes to the current schema of a table. */
    void alter(SchemaTableName name, FileStoreTable table, List<SchemaChange> changes) {
        if (changes.isEmpty()) {
            return;
        }
        Identifier identifier = requireNonNull(table.catalogEnvironment().identifier());
        change("alter table " + name, () -> lake.catalog().alterTable(identifier, changes, false));
        tables.changed(name);
    }

    /** The current name of the column with this id. */
    static String columnName(SchemaTableName name, FileStoreTable table, int id) {
        return table.rowType().getFields().stream()
                .filter(field -> field.id() == id)
                .map(DataField::name)
                .findFirst()
                .orElseThrow(
                        () ->
                                new TrinoException(
                                        COLUMN_NOT_FOUND,
                                        "The column was dropped from %s meanwhile"
                                                .formatted(name)));
    }

    /** The current name, in the table's letter case, of a column that is named in lower case. */
    static String columnName(SchemaTableName name, FileStoreTable table, String column) {
        return table.rowType().getFields().stream()
                .map(DataField::name)
                .filter(other -> other.toLowerCase(Locale.ROOT).equals(column))
                .findFirst()
                .orElseThrow(
                        () ->
                                new TrinoException(
                                        COLUMN_NOT_FOUND,
                                        "Expected a column of %s, found %s"
                                                .formatted(name, column)));
    }

    /**
     * The path to a field inside a column, in the table's letter case. Trino may name columns and
     * fields in lower case; a field of that very name comes first.
     */
    static String[] fieldPath(SchemaTableName name, FileStoreTable table, List<String> names) {
        String column = columnName(name, table, names.getFirst());
        List<String> path = new ArrayList<>(List.of(column));
        Optional<DataType> parent = Optional.of(table.rowType().getField(column).type());
        for (String field : names.subList(1, names.size())) {
            String found =
                    parent.filter(RowType.class::isInstance)
                            .flatMap(row -> fieldName(((RowType) row).getFieldNames(), field))
                            .orElse(field);
            path.add(found);
            parent = parent.flatMap(type -> child(type, found));
        }
        return path.toArray(String[]::new);
    }

    /** The name of a field; empty if there is none, or several that differ by case alone. */
    private static Optional<String> fieldName(List<String> names, String wanted) {
        if (names.contains(wanted)) {
            return Optional.of(wanted);
        }
        List<String> others = names.stream().filter(wanted::equalsIgnoreCase).toList();
        return others.size() == 1 ? Optional.of(others.getFirst()) : Optional.empty();
    }

    /** The type at a name of a path, as Paimon's changes of schemas name elements and values. */
    private static Optional<DataType> child(DataType type, String name) {
        return switch (type) {
            case RowType row when row.containsField(name) -> Optional.of(row.getField(name).type());
            case ArrayType array -> Optional.of(array.getElementType());
            case MapType map when name.equals("value") -> Optional.of(map.getValueType());
            default -> Optional.empty();
        };
    }

    private static void change(String what, Change change) {
        try {
            change.run();
        } catch (Exception e) {
            throw translate(what, e);
        }
    }

    private static TrinoException translate(String what, Exception failure) {
        for (Throwable cause : Throwables.getCausalChain(failure)) {
            String message = "Cannot %s: %s".formatted(what, cause.getMessage());
            switch (cause) {
                case TrinoException known -> {
                    return known;
                }
                case NoPrivilegeException _ -> throw new AccessDeniedException(message);
                case Catalog.DatabaseAlreadyExistException _ -> {
                    return new TrinoException(ALREADY_EXISTS, message, failure);
                }
                case Catalog.DatabaseNotEmptyException _ -> {
                    return new TrinoException(SCHEMA_NOT_EMPTY, message, failure);
                }
                case Catalog.TableAlreadyExistException _ -> {
                    return new TrinoException(TABLE_ALREADY_EXISTS, message, failure);
                }
                case Catalog.ColumnAlreadyExistException _ -> {
                    return new TrinoException(COLUMN_ALREADY_EXISTS, message, failure);
                }
                case Catalog.ColumnNotExistException _ -> {
                    return new TrinoException(COLUMN_NOT_FOUND, message, failure);
                }
                case IllegalArgumentException _,
                        UnsupportedOperationException _,
                        IllegalStateException _ -> {
                    return new TrinoException(NOT_SUPPORTED, message, failure);
                }
                default -> {}
            }
        }
        return new TrinoException(
                PaimonErrorCode.PAIMON_STORE_ERROR,
                "Cannot %s: %s".formatted(what, failure.getMessage()),
                failure);
    }
}
