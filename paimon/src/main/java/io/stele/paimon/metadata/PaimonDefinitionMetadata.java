package io.stele.paimon.metadata;

import static io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.image.LatestSnapshots;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;

/**
 * The connector metadata of one Trino transaction, extended by the statements that create, alter,
 * rename and drop schemas and tables. Confined to the transaction's threads, which Trino orders.
 */
class PaimonDefinitionMetadata extends PaimonMetadata {
    private final WritableTables tables;
    private final TableDefinitions definitions;

    PaimonDefinitionMetadata(
            TableNames names,
            TableLeases leases,
            LakeTables lakeTables,
            LatestSnapshots snapshots,
            TableStatisticsReader statistics,
            WritableTables tables,
            TableDefinitions definitions) {
        super(names, leases, lakeTables, snapshots, statistics);
        this.tables = requireNonNull(tables, "tables is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
    }

    static SchemaTableName name(ConnectorTableHandle table) {
        return ((PaimonTableHandle) table).name();
    }

    @Override
    public void createSchema(
            ConnectorSession session,
            String schemaName,
            Map<String, Object> properties,
            TrinoPrincipal owner) {
        definitions.createSchema(schemaName, properties);
    }

    @Override
    public void dropSchema(ConnectorSession session, String schemaName, boolean cascade) {
        definitions.dropSchema(schemaName, cascade);
    }

    @Override
    public void createTable(
            ConnectorSession session, ConnectorTableMetadata tableMetadata, SaveMode saveMode) {
        definitions.create(tableMetadata, saveMode);
        unpin(tableMetadata.getTable());
    }

    @Override
    public void dropTable(ConnectorSession session, ConnectorTableHandle table) {
        definitions.drop(name(table));
        unpin(name(table));
    }

    @Override
    public void renameTable(
            ConnectorSession session, ConnectorTableHandle table, SchemaTableName newTableName) {
        definitions.rename(name(table), newTableName);
        unpin(name(table));
        unpin(newTableName);
    }

    private void alter(ConnectorTableHandle table, SchemaChange... changes) {
        definitions.alter(name(table), tables.find(name(table)), List.of(changes));
        unpin(name(table));
    }

    private String columnName(ConnectorTableHandle table, ColumnHandle column) {
        return TableDefinitions.columnName(
                name(table), tables.find(name(table)), ((PaimonColumnHandle) column).id());
    }

    /** The path of a field in the letter case that the table has now. */
    private String[] path(ConnectorTableHandle table, List<String> path) {
        return TableDefinitions.fieldPath(name(table), tables.find(name(table)), path);
    }

    @Override
    public void setTableComment(
            ConnectorSession session, ConnectorTableHandle table, Optional<String> comment) {
        alter(table, SchemaChange.updateComment(comment.orElse(null)));
    }

    @Override
    public void setColumnComment(
            ConnectorSession session,
            ConnectorTableHandle table,
            ColumnHandle column,
            Optional<String> comment) {
        alter(
                table,
                SchemaChange.updateColumnComment(columnName(table, column), comment.orElse(null)));
    }

    @Override
    public void setTableProperties(
            ConnectorSession session,
            ConnectorTableHandle table,
            Map<String, Optional<Object>> properties) {
        FileStoreTable present = tables.find(name(table));
        definitions.alter(
                name(table),
                present,
                TableProperties.changes(properties, present.schema().options()));
        unpin(name(table));
    }

    @Override
    public void addColumn(
            ConnectorSession session,
            ConnectorTableHandle table,
            ColumnMetadata column,
            ColumnPosition position) {
        TableDefinitions.checkPlain(column);
        if (!column.isNullable()) {
            throw new TrinoException(
                    NOT_SUPPORTED,
                    "Expected a new column that may be NULL, since earlier rows have no value of it, found column %s NOT NULL"
                            .formatted(column.getName()));
        }
        SchemaChange.Move move =
                switch (position) {
                    case ColumnPosition.First _ -> SchemaChange.Move.first(column.getName());
                    case ColumnPosition.After after ->
                            SchemaChange.Move.after(
                                    column.getName(),
                                    TableDefinitions.columnName(
                                            name(table),
                                            tables.find(name(table)),
                                            after.columnName()));
                    default -> null;
                };
        alter(
                table,
                SchemaChange.addColumn(
                        column.getName(),
                        PaimonTypes.toPaimon(column.getName(), column.getType()),
                        column.getComment().orElse(null),
                        move));
    }

    @Override
    public void dropColumn(
            ConnectorSession session, ConnectorTableHandle table, ColumnHandle column) {
        alter(table, SchemaChange.dropColumn(columnName(table, column)));
    }

    @Override
    public void renameColumn(
            ConnectorSession session,
            ConnectorTableHandle table,
            ColumnHandle column,
            String target) {
        alter(table, SchemaChange.renameColumn(columnName(table, column), target));
    }

    @Override
    public void setColumnType(
            ConnectorSession session, ConnectorTableHandle table, ColumnHandle column, Type type) {
        String name = columnName(table, column);
        alter(table, SchemaChange.updateColumnType(name, PaimonTypes.toPaimon(name, type), true));
    }

    @Override
    public void dropNotNullConstraint(
            ConnectorSession session, ConnectorTableHandle table, ColumnHandle column) {
        alter(table, SchemaChange.updateColumnNullability(columnName(table, column), true));
    }

    @Override
    public void addField(
            ConnectorSession session,
            ConnectorTableHandle table,
            List<String> parentPath,
            String fieldName,
            Type type,
            boolean ignoreExisting) {
        String[] parent = path(table, parentPath);
        String[] path = Arrays.copyOf(parent, parent.length + 1);
        path[parent.length] = fieldName;
        try {
            alter(
                    table,
                    SchemaChange.addColumn(
                            path, PaimonTypes.toPaimon(fieldName, type), null, null));
        } catch (TrinoException e) {
            if (!ignoreExisting || !e.getErrorCode().equals(COLUMN_ALREADY_EXISTS.toErrorCode())) {
                throw e;
            }
        }
    }

    @Override
    public void dropField(
            ConnectorSession session,
            ConnectorTableHandle table,
            ColumnHandle column,
            List<String> fieldPath) {
        // Trino has resolved the names
        List<String> path = new ArrayList<>();
        path.add(columnName(table, column));
        path.addAll(fieldPath);
        alter(table, SchemaChange.dropColumn(path.toArray(String[]::new)));
    }

    @Override
    public void renameField(
            ConnectorSession session,
            ConnectorTableHandle table,
            List<String> fieldPath,
            String target) {
        alter(table, SchemaChange.renameColumn(path(table, fieldPath), target));
    }

    @Override
    public void setFieldType(
            ConnectorSession session,
            ConnectorTableHandle table,
            List<String> fieldPath,
            Type type) {
        alter(
                table,
                SchemaChange.updateColumnType(
                        path(table, fieldPath),
                        PaimonTypes.toPaimon(String.join(".", fieldPath), type),
                        true));
    }
}
