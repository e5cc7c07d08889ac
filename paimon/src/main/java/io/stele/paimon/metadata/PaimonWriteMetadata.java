package io.stele.paimon.metadata;

import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.stele.paimon.config.PaimonSessionProperties;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonMergeHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.handle.PaimonWriteHandle;
import io.stele.paimon.image.SnapshotLeases;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.type.PaimonTypes;
import io.stele.paimon.write.MergeRowIds;
import io.stele.paimon.write.MergeRules;
import io.stele.paimon.write.WriteLayouts;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorOutputMetadata;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.RowChangeParadigm;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.WriterScalingOptions;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.type.Type;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * The catalog in one Trino transaction, with the statements that change it. Each is committed when
 * it ends. Confined to the transaction's threads, which Trino orders.
 */
final class PaimonWriteMetadata extends PaimonMetadata {
    private static final Logger log = Logger.get(PaimonWriteMetadata.class);

    private final WritableTables tables;
    private final TableDefinitions definitions;
    private final TableWrites writes;

    /** Of a CREATE TABLE AS whose rows are not committed yet. */
    private @Nullable SchemaTableName created;

    PaimonWriteMetadata(
            TableNames names,
            TableLeases leases,
            LakeTables lakeTables,
            SnapshotLeases snapshots,
            TableStatisticsReader statistics,
            WritableTables tables,
            TableDefinitions definitions,
            TableWrites writes) {
        super(names, leases, lakeTables, snapshots, statistics);
        this.tables = requireNonNull(tables, "tables is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.writes = requireNonNull(writes, "writes is null");
    }

    /** Takes back what a failed statement began. */
    void rollback() {
        SchemaTableName unfinished = created;
        if (unfinished != null) {
            created = null;
            try {
                definitions.drop(unfinished);
            } catch (RuntimeException e) {
                log.warn(e, "Table %s of a failed statement is left", unfinished);
            }
        }
    }

    private static SchemaTableName name(ConnectorTableHandle table) {
        return ((PaimonTableHandle) table).name();
    }

    // Definitions

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

    /** A path of a field, by the name that its column has in the table. */
    private String[] path(ConnectorTableHandle table, List<String> path) {
        String[] names = path.toArray(String[]::new);
        names[0] =
                TableDefinitions.columnName(name(table), tables.find(name(table)), path.getFirst());
        return names;
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
        String[] path = java.util.Arrays.copyOf(parent, parent.length + 1);
        path[parent.length] = fieldName;
        try {
            alter(
                    table,
                    SchemaChange.addColumn(
                            path, PaimonTypes.toPaimon(fieldName, type), null, null));
        } catch (TrinoException e) {
            if (!ignoreExisting
                    || !e.getErrorCode()
                            .equals(
                                    io.trino.spi.StandardErrorCode.COLUMN_ALREADY_EXISTS
                                            .toErrorCode())) {
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
        String[] path = new String[fieldPath.size() + 1];
        path[0] = columnName(table, column);
        for (int i = 0; i < fieldPath.size(); i++) {
            path[i + 1] = fieldPath.get(i);
        }
        alter(table, SchemaChange.dropColumn(path));
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

    // Rows

    @Override
    public Optional<ConnectorTableLayout> getNewTableLayout(
            ConnectorSession session, ConnectorTableMetadata tableMetadata) {
        return WriteLayouts.insert(definitions.preview(tableMetadata));
    }

    @Override
    public Optional<ConnectorTableLayout> getInsertLayout(
            ConnectorSession session, ConnectorTableHandle table) {
        return WriteLayouts.insert(table(table).schema());
    }

    /** Where any writer takes any row; rows of buckets go to the writer of theirs all the same. */
    @Override
    public WriterScalingOptions getNewTableWriterScalingOptions(
            ConnectorSession session,
            SchemaTableName tableName,
            Map<String, Object> tableProperties) {
        Object bucket = tableProperties.get("bucket");
        return bucket != null || !TableProperties.primaryKey(tableProperties).isEmpty()
                ? WriterScalingOptions.DISABLED
                : WriterScalingOptions.ENABLED;
    }

    @Override
    public WriterScalingOptions getInsertWriterScalingOptions(
            ConnectorSession session, ConnectorTableHandle table) {
        FileStoreTable written = table(table);
        return written.primaryKeys().isEmpty() && written.coreOptions().bucket() < 0
                ? WriterScalingOptions.ENABLED
                : WriterScalingOptions.DISABLED;
    }

    @Override
    public ConnectorOutputTableHandle beginCreateTable(
            ConnectorSession session,
            ConnectorTableMetadata tableMetadata,
            Optional<ConnectorTableLayout> layout,
            RetryMode retryMode,
            boolean replace) {
        SchemaTableName name = tableMetadata.getTable();
        definitions.create(tableMetadata, replace ? SaveMode.REPLACE : SaveMode.FAIL);
        created = name;
        unpin(name);
        PaimonTableHandle handle =
                requireNonNull(
                        getTableHandle(session, name, Optional.empty(), Optional.empty()),
                        "the new table is not there");
        return writes.begin(session, handle, columns(session, handle), false, retryMode);
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishCreateTable(
            ConnectorSession session,
            ConnectorOutputTableHandle table,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> statistics) {
        finish((PaimonWriteHandle) table, fragments);
        created = null;
        return Optional.empty();
    }

    private void finish(PaimonWriteHandle write, Collection<Slice> fragments) {
        writes.finish(write, fragments);
        unpin(write.table().name());
    }

    private List<PaimonColumnHandle> columns(ConnectorSession session, PaimonTableHandle table) {
        return getColumnHandles(session, table).values().stream()
                .map(PaimonColumnHandle.class::cast)
                .toList();
    }

    @Override
    public ConnectorInsertTableHandle beginInsert(
            ConnectorSession session,
            ConnectorTableHandle table,
            List<ColumnHandle> columns,
            RetryMode retryMode) {
        return writes.begin(
                session,
                (PaimonTableHandle) table,
                columns.stream().map(PaimonColumnHandle.class::cast).toList(),
                PaimonSessionProperties.overwritesPartitions(session),
                retryMode);
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishInsert(
            ConnectorSession session,
            ConnectorInsertTableHandle table,
            List<ConnectorTableHandle> sourceTables,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> statistics) {
        finish((PaimonWriteHandle) table, fragments);
        return Optional.empty();
    }

    @Override
    public void truncateTable(ConnectorSession session, ConnectorTableHandle table) {
        writes.truncate(session, (PaimonTableHandle) table);
        unpin(name(table));
    }

    /** Whole partitions are deleted without reading them. */
    @Override
    public Optional<ConnectorTableHandle> applyDelete(
            ConnectorSession session, ConnectorTableHandle table) {
        PaimonTableHandle handle = (PaimonTableHandle) table;
        return handle.constraint().isAll() && handle.limit().isEmpty()
                ? Optional.of(handle)
                : Optional.empty();
    }

    @Override
    public OptionalLong executeDelete(ConnectorSession session, ConnectorTableHandle table) {
        OptionalLong rows = writes.deletePartitions(session, (PaimonTableHandle) table);
        unpin(name(table));
        return rows;
    }

    @Override
    public RowChangeParadigm getRowChangeParadigm(
            ConnectorSession session, ConnectorTableHandle table) {
        return RowChangeParadigm.DELETE_ROW_AND_INSERT_ROW;
    }

    @Override
    public ColumnHandle getMergeRowIdColumnHandle(
            ConnectorSession session, ConnectorTableHandle table) {
        return MergeRowIds.column(table(table));
    }

    @Override
    public ColumnMetadata getColumnMetadata(
            ConnectorSession session, ConnectorTableHandle table, ColumnHandle column) {
        PaimonColumnHandle handle = (PaimonColumnHandle) column;
        return handle.id() == MergeRowIds.COLUMN_ID
                ? ColumnMetadata.builder()
                        .setName(handle.name())
                        .setType(handle.type())
                        .setHidden(true)
                        .build()
                : super.getColumnMetadata(session, table, column);
    }

    @Override
    public Optional<ConnectorPartitioningHandle> getUpdateLayout(
            ConnectorSession session, ConnectorTableHandle table) {
        FileStoreTable written = table(table);
        return WriteLayouts.update(written.schema(), MergeRules.rowIdFields(written));
    }

    @Override
    public ConnectorMergeTableHandle beginMerge(
            ConnectorSession session,
            ConnectorTableHandle table,
            Map<Integer, Collection<ColumnHandle>> updateCaseColumns,
            RetryMode retryMode) {
        PaimonTableHandle handle = (PaimonTableHandle) table;
        return writes.beginMerge(
                session, handle, columns(session, handle), updateCaseColumns, retryMode);
    }

    @Override
    public void finishMerge(
            ConnectorSession session,
            ConnectorMergeTableHandle merge,
            List<ConnectorTableHandle> sourceTables,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> statistics) {
        PaimonMergeHandle handle = (PaimonMergeHandle) merge;
        writes.finishMerge(handle, fragments);
        unpin(handle.write().table().name());
    }
}
