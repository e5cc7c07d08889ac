package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.airlift.slice.Slice;
import io.stele.paimon.config.PaimonSessionProperties;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonMergeHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.handle.PaimonWriteHandle;
import io.stele.paimon.image.LatestSnapshots;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.write.MergeRowIds;
import io.stele.paimon.write.RowChangeRules;
import io.stele.paimon.write.WriteLayouts;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
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
import io.trino.spi.statistics.ComputedStatistics;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * The complete connector metadata of one Trino transaction, which adds the statements that write,
 * change and delete rows. Each statement is committed when it ends. Confined to the transaction's
 * threads, which Trino orders.
 */
final class PaimonWriteMetadata extends PaimonDefinitionMetadata {
    private static final Logger log = Logger.get(PaimonWriteMetadata.class);

    private final TableDefinitions definitions;
    private final TableWrites writes;

    /** The table of a CREATE TABLE AS whose rows are not committed yet; null: there is none. */
    private @Nullable CreatedTable created;

    private record CreatedTable(SchemaTableName name, FileStoreTable table) {}

    PaimonWriteMetadata(
            TableNames names,
            TableLeases leases,
            LakeTables lakeTables,
            LatestSnapshots snapshots,
            TableStatisticsReader statistics,
            WritableTables tables,
            TableDefinitions definitions,
            TableWrites writes) {
        super(names, leases, lakeTables, snapshots, statistics, tables, definitions);
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.writes = requireNonNull(writes, "writes is null");
    }

    /** Drops the table that a failed CREATE TABLE AS has created. */
    void rollback() {
        CreatedTable unfinished = created;
        if (unfinished != null) {
            created = null;
            try {
                definitions.dropCreated(unfinished.name(), unfinished.table());
            } catch (RuntimeException e) {
                log.warn(e, "Table %s of a failed statement is left", unfinished.name());
            }
        }
    }

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

    /**
     * Enabled where any writer accepts any row; all rows of a bucket must go to the bucket's
     * writer.
     */
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
        created =
                definitions
                        .create(tableMetadata, replace ? SaveMode.REPLACE : SaveMode.FAIL)
                        .map(table -> new CreatedTable(name, table))
                        .orElseThrow();
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
        return WriteLayouts.update(written.schema(), RowChangeRules.rowIdFields(written));
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
