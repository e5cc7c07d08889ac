package io.stele.connector.metadata;

import static io.trino.spi.StandardErrorCode.INVALID_FUNCTION_ARGUMENT;
import static io.trino.spi.StandardErrorCode.NOT_SUPPORTED;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleExecuteHandle;
import io.stele.connector.handle.SteleMergeHandle;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleWriteHandle;
import io.stele.connector.handle.TableChangesHandle;
import io.stele.connector.metadata.catalog.CatalogRequests;
import io.stele.connector.metadata.catalog.PartitionConstraints;
import io.stele.connector.metadata.catalog.StorageTables;
import io.stele.connector.metadata.catalog.TableDefinitions;
import io.stele.connector.metadata.catalog.TableProperties;
import io.stele.connector.metadata.plan.AggregationChoices;
import io.stele.connector.metadata.plan.ReadCosts;
import io.stele.connector.metadata.plan.TransactionPlans;
import io.stele.connector.metadata.procedure.HistoryExpiry;
import io.stele.connector.metadata.procedure.OrphanRemoval;
import io.stele.connector.metadata.procedure.TableProcedures;
import io.stele.connector.metadata.procedure.Warming;
import io.stele.connector.metadata.pushdown.AggregationPushdown;
import io.stele.connector.metadata.pushdown.ChangeScanPushdown;
import io.stele.connector.metadata.pushdown.DereferencePushdown;
import io.stele.connector.metadata.pushdown.ExpressionPushdown;
import io.stele.connector.metadata.pushdown.IndexJoins;
import io.stele.connector.metadata.pushdown.Pushdown;
import io.stele.connector.metadata.system.MetadataTables;
import io.stele.connector.metadata.transaction.PastTables;
import io.stele.connector.metadata.transaction.TransactionSnapshot;
import io.stele.connector.metadata.transaction.WriteTransactions;
import io.stele.connector.metadata.view.MaterializedViews;
import io.stele.connector.metadata.view.Views;
import io.stele.connector.sidecar.QuerySnapshots;
import io.stele.connector.type.ScanPredicates;
import io.stele.protocol.Lsn;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.RefreshType;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.AggregateFunction;
import io.trino.spi.connector.AggregationApplicationResult;
import io.trino.spi.connector.BeginTableExecuteResult;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ColumnMetadata;
import io.trino.spi.connector.ColumnPosition;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorAnalyzeMetadata;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMaterializedViewDefinition;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorOutputMetadata;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPartitioningHandle;
import io.trino.spi.connector.ConnectorResolvedIndex;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTableLayout;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTableProperties;
import io.trino.spi.connector.ConnectorTableSchema;
import io.trino.spi.connector.ConnectorTableVersion;
import io.trino.spi.connector.ConnectorViewDefinition;
import io.trino.spi.connector.Constraint;
import io.trino.spi.connector.ConstraintApplicationResult;
import io.trino.spi.connector.LimitApplicationResult;
import io.trino.spi.connector.MaterializedViewFreshness;
import io.trino.spi.connector.ProjectionApplicationResult;
import io.trino.spi.connector.RelationColumnsMetadata;
import io.trino.spi.connector.RelationCommentMetadata;
import io.trino.spi.connector.RetryMode;
import io.trino.spi.connector.RowChangeParadigm;
import io.trino.spi.connector.SampleApplicationResult;
import io.trino.spi.connector.SampleType;
import io.trino.spi.connector.SaveMode;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SortItem;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.connector.TableFunctionApplicationResult;
import io.trino.spi.connector.TopNApplicationResult;
import io.trino.spi.connector.WriterScalingOptions;
import io.trino.spi.expression.ConnectorExpression;
import io.trino.spi.expression.Variable;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.metrics.Metrics;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.security.TrinoPrincipal;
import io.trino.spi.statistics.ComputedStatistics;
import io.trino.spi.statistics.TableStatistics;
import io.trino.spi.type.Type;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The catalog operations that Trino calls on the coordinator in one transaction, over its snapshot,
 * requests to the sidecar, and unfinished writes. The snapshot is opened when a table is first
 * read.
 *
 * <p>One class, because Trino's interface is one; each method delegates to a part. Thread-safe,
 * because Trino calls it from several threads: it has no mutable state, and its parts guard theirs.
 */
public final class SteleMetadata implements ConnectorMetadata {
    private final CatalogRequests catalog;
    private final WriteTransactions writes;
    private final TableDefinitions definitions;
    private final TableStatisticsReader statistics;
    private final MetadataTables metadataTables;
    private final TransactionSnapshot snapshot;
    private final PastTables versions;
    private final RowCounts rowCounts;
    private final RelationListing relations;
    private final ColumnChanges columns;
    private final Views views;
    private final MaterializedViews materializedViews;
    private final ReadCosts costs;
    private final AggregationChoices aggregations;
    private final PlanningTimes times = new PlanningTimes();

    SteleMetadata(
            CatalogRequests catalog,
            WriteTransactions writes,
            TransactionSnapshot snapshot,
            PastTables versions,
            RowCounts rowCounts,
            TableDefinitions definitions,
            TableStatisticsReader statistics,
            MetadataTables metadataTables,
            RelationListing relations,
            ColumnChanges columns,
            Views views,
            MaterializedViews materializedViews,
            ReadCosts costs,
            AggregationChoices aggregations) {
        this.aggregations = requireNonNull(aggregations, "aggregations is null");
        this.costs = requireNonNull(costs, "costs is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.writes = requireNonNull(writes, "writes is null");
        this.definitions = requireNonNull(definitions, "definitions is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        this.metadataTables = requireNonNull(metadataTables, "metadataTables is null");
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
        this.versions = requireNonNull(versions, "versions is null");
        this.rowCounts = requireNonNull(rowCounts, "rowCounts is null");
        this.relations = requireNonNull(relations, "relations is null");
        this.columns = requireNonNull(columns, "columns is null");
        this.views = requireNonNull(views, "views is null");
        this.materializedViews = requireNonNull(materializedViews, "materializedViews is null");
    }

    /** Ends the transaction: aborts unfinished writes and releases the snapshot. */
    public void close() {
        writes.abortAll();
        snapshot.close();
        versions.close();
    }

    /** The transaction's choices who computes an aggregation. */
    public AggregationChoices aggregations() {
        return aggregations;
    }

    /** The plans of this transaction's scans. */
    public TransactionPlans plans() {
        return snapshot.plans();
    }

    /** How long Trino waits for this transaction's metadata and splits. */
    public PlanningTimes times() {
        return times;
    }

    @Override
    public Metrics getMetrics(ConnectorSession session) {
        return times.metrics();
    }

    // Schemas

    @Override
    public List<String> listSchemaNames(ConnectorSession session) {
        return snapshot.schemaNames();
    }

    @Override
    public void createSchema(
            ConnectorSession session,
            String schemaName,
            Map<String, Object> properties,
            TrinoPrincipal owner) {
        catalog.createSchema(schemaName);
    }

    @Override
    public void dropSchema(ConnectorSession session, String schemaName, boolean cascade) {
        catalog.dropSchema(schemaName, cascade);
    }

    @Override
    public void renameSchema(ConnectorSession session, String source, String target) {
        catalog.renameSchema(source, target);
    }

    // Tables

    @Override
    public @Nullable ConnectorTableHandle getTableHandle(
            ConnectorSession session,
            SchemaTableName tableName,
            Optional<ConnectorTableVersion> startVersion,
            Optional<ConnectorTableVersion> endVersion) {
        if (startVersion.isPresent()) {
            throw new TrinoException(
                    NOT_SUPPORTED, "This connector does not support reading from a version on");
        }
        if (endVersion.isPresent()) {
            return versions.find(session, tableName, endVersion.get()).orElse(null);
        }
        Optional<Lsn> atLeast = SteleSessionProperties.readLsn(session);
        TableDescription table = snapshot.open(tableName, atLeast).table().orElse(null);
        if (table == null) {
            return null;
        }
        QuerySnapshots.Lease lease = snapshot.snapshotLease(atLeast);
        if (snapshot.isYoungerThanSnapshot(table)) {
            return versions.find(tableName, lease.lsn()).orElse(null);
        }
        return new SteleTableHandle(table.schema(), lease.id(), lease.lsn().value());
    }

    /**
     * The change scan of a table after one LSN, up to and including another, by default the present
     * one; empty if there is no such table.
     */
    Optional<TableChangesHandle> tableChanges(
            ConnectorSession session,
            SchemaTableName tableName,
            ConnectorTableVersion from,
            Optional<ConnectorTableVersion> to) {
        Optional<SteleTableHandle> start = versions.find(session, tableName, from);
        SteleTableHandle end =
                (SteleTableHandle) getTableHandle(session, tableName, Optional.empty(), to);
        if (start.isEmpty() || end == null) {
            return Optional.empty();
        }
        if (start.get().readLsn() > end.readLsn()) {
            throw new TrinoException(
                    INVALID_FUNCTION_ARGUMENT,
                    "Expected changes of %s up to an LSN at or above %s, found %s"
                            .formatted(
                                    tableName,
                                    start.get().snapshot().withTime(),
                                    end.snapshot().withTime()));
        }
        if (!start.get().table().id().equals(end.table().id())) {
            throw new TrinoException(
                    INVALID_FUNCTION_ARGUMENT,
                    "Expected changes of one content of table %s, found it truncated or replaced after LSN %s and up to LSN %s: ask from a moment since then"
                            .formatted(
                                    tableName,
                                    start.get().snapshot().withTime(),
                                    end.snapshot().withTime()));
        }
        return Optional.of(
                new TableChangesHandle(
                        end, definitions.columnHandles(end.table()), start.get().readLsn()));
    }

    @Override
    public ConnectorTableMetadata getTableMetadata(
            ConnectorSession session, ConnectorTableHandle table) {
        return definitions.toTrino(tableOf(table).table());
    }

    @Override
    public ConnectorTableSchema getTableSchema(
            ConnectorSession session, ConnectorTableHandle table) {
        return definitions.schema(tableOf(table).table());
    }

    @Override
    public SchemaTableName getTableName(ConnectorSession session, ConnectorTableHandle table) {
        return tableOf(table).name();
    }

    private static SteleTableHandle tableOf(ConnectorTableHandle handle) {
        return handle instanceof TableChangesHandle changes
                ? changes.table()
                : (SteleTableHandle) handle;
    }

    @Override
    public List<SchemaTableName> listTables(ConnectorSession session, Optional<String> schemaName) {
        return relations.names(schemaName);
    }

    @Override
    public Map<String, ColumnHandle> getColumnHandles(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return definitions.handles(((SteleTableHandle) tableHandle).table());
    }

    @Override
    public ColumnMetadata getColumnMetadata(
            ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle columnHandle) {
        SteleColumnHandle column = (SteleColumnHandle) columnHandle;
        if (column.id() < 0) {
            return TableDefinitions.hidden(column);
        }
        if (column.isField()) {
            return new ColumnMetadata(column.name(), column.type());
        }
        return definitions.toTrino(tableOf(tableHandle).table().column(column.id()));
    }

    @Override
    public Iterator<RelationColumnsMetadata> streamRelationColumns(
            ConnectorSession session,
            Optional<String> schemaName,
            UnaryOperator<Set<SchemaTableName>> relationFilter) {
        return relations.columns(schemaName, relationFilter);
    }

    @Override
    public Iterator<RelationCommentMetadata> streamRelationComments(
            ConnectorSession session,
            Optional<String> schemaName,
            UnaryOperator<Set<SchemaTableName>> relationFilter) {
        return relations.comments(schemaName, relationFilter);
    }

    @Override
    public void createTable(
            ConnectorSession session, ConnectorTableMetadata tableMetadata, SaveMode saveMode) {
        catalog.createTable(
                definitions.toStele(tableMetadata),
                TableProperties.tableGroup(tableMetadata.getProperties()),
                false,
                saveMode == SaveMode.IGNORE,
                saveMode == SaveMode.REPLACE);
        snapshot.forget(tableMetadata.getTable());
    }

    @Override
    public void dropTable(ConnectorSession session, ConnectorTableHandle tableHandle) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        catalog.dropTable(handle.name(), handle.table().id());
        snapshot.forget(handle.name());
    }

    @Override
    public void truncateTable(ConnectorSession session, ConnectorTableHandle tableHandle) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        catalog.truncateTable(handle.name(), handle.table().id());
        snapshot.forget(handle.name());
    }

    @Override
    public void renameTable(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            SchemaTableName newTableName) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        catalog.renameTable(handle.table().id(), newTableName);
        snapshot.forget(handle.name());
    }

    @Override
    public void setTableComment(
            ConnectorSession session, ConnectorTableHandle tableHandle, Optional<String> comment) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        catalog.setComment(handle.table().id(), Optional.empty(), comment);
        snapshot.forget(handle.name());
    }

    @Override
    public void setColumnComment(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ColumnHandle column,
            Optional<String> comment) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        catalog.setComment(
                handle.table().id(), Optional.of(((SteleColumnHandle) column).id()), comment);
        snapshot.forget(handle.name());
    }

    @Override
    public void setTableProperties(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Map<String, Optional<Object>> properties) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        catalog.setOptions(
                handle.table().id(),
                TableProperties.changedOptions(properties),
                TableDefinitions.options(
                        handle.table().columns(), TableProperties.values(properties)));
        snapshot.forget(handle.name());
    }

    // Maintenance

    @Override
    public Optional<ConnectorTableExecuteHandle> getTableHandleForExecute(
            ConnectorSession session,
            ConnectorAccessControl accessControl,
            ConnectorTableHandle tableHandle,
            String procedureName,
            Map<String, Object> executeProperties,
            RetryMode retryMode) {
        return Optional.of(
                new SteleExecuteHandle(
                        StorageTables.requireTable(tableHandle),
                        procedureName,
                        Warming.columns(executeProperties),
                        HistoryExpiry.historyLsn(session, procedureName, executeProperties),
                        OrphanRemoval.beforeMillis(session, procedureName, executeProperties)));
    }

    @Override
    public Set<ColumnHandle> getColumnHandlesForTableExecute(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ConnectorTableExecuteHandle handle) {
        return Warming.columnHandles(
                (SteleExecuteHandle) handle,
                definitions.columnHandles(((SteleTableHandle) tableHandle).table()));
    }

    @Override
    public BeginTableExecuteResult<ConnectorTableExecuteHandle, ConnectorTableHandle>
            beginTableExecute(
                    ConnectorSession session,
                    ConnectorTableExecuteHandle handle,
                    ConnectorTableHandle updatedSourceTableHandle) {
        return new BeginTableExecuteResult<>(
                handle, ((SteleTableHandle) updatedSourceTableHandle).forProcedure());
    }

    @Override
    public Map<String, Long> finishTableExecute(
            ConnectorSession session,
            ConnectorTableExecuteHandle handle,
            Collection<Slice> fragments,
            List<Object> tableExecuteState) {
        return Warming.result(fragments);
    }

    @Override
    public Map<String, Long> executeTableExecute(
            ConnectorSession session, ConnectorTableExecuteHandle handle) {
        return TableProcedures.execute(catalog, (SteleExecuteHandle) handle);
    }

    // Columns

    @Override
    public void addColumn(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ColumnMetadata column,
            ColumnPosition position) {
        columns.add(tableHandle, column, position);
    }

    @Override
    public void dropColumn(
            ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column) {
        columns.drop(tableHandle, column);
    }

    @Override
    public void renameColumn(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ColumnHandle source,
            String target) {
        columns.rename(tableHandle, source, target);
    }

    @Override
    public void setColumnType(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ColumnHandle column,
            Type type) {
        columns.setType(tableHandle, column, type);
    }

    @Override
    public void dropNotNullConstraint(
            ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column) {
        columns.dropNotNull(tableHandle, column);
    }

    @Override
    public void setDefaultValue(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ColumnHandle column,
            String defaultValue) {
        columns.setDefault(tableHandle, column, Optional.of(defaultValue));
    }

    @Override
    public void dropDefaultValue(
            ConnectorSession session, ConnectorTableHandle tableHandle, ColumnHandle column) {
        columns.setDefault(tableHandle, column, Optional.empty());
    }

    @Override
    public void addField(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            List<String> parentPath,
            String fieldName,
            Type type,
            boolean ignoreExisting) {
        columns.addField(tableHandle, parentPath, fieldName, type, ignoreExisting);
    }

    @Override
    public void dropField(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ColumnHandle column,
            List<String> fieldPath) {
        columns.dropField(tableHandle, column, fieldPath);
    }

    @Override
    public void renameField(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            List<String> fieldPath,
            String target) {
        columns.renameField(tableHandle, fieldPath, target);
    }

    @Override
    public void setFieldType(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            List<String> fieldPath,
            Type type) {
        columns.setFieldType(tableHandle, fieldPath, type);
    }

    // Pushdown

    @Override
    public Optional<ConstraintApplicationResult<ConnectorTableHandle>> applyFilter(
            ConnectorSession session, ConnectorTableHandle handle, Constraint constraint) {
        return handle instanceof TableChangesHandle changes
                ? ChangeScanPushdown.applyFilter(changes, constraint)
                : Pushdown.applyFilter(session, (SteleTableHandle) handle, constraint)
                        .map(
                                applied ->
                                        applied.transform(
                                                narrowed ->
                                                        costs.estimated(
                                                                session,
                                                                plans(),
                                                                (SteleTableHandle) narrowed)));
    }

    @Override
    public Optional<TableFunctionApplicationResult<ConnectorTableHandle>> applyTableFunction(
            ConnectorSession session, ConnectorTableFunctionHandle handle) {
        return ChangeScanPushdown.toScan(handle);
    }

    /** The handle as a scan of a table; empty for a change scan. */
    private static Optional<SteleTableHandle> scan(ConnectorTableHandle handle) {
        return handle instanceof SteleTableHandle table ? Optional.of(table) : Optional.empty();
    }

    @Override
    public Optional<ProjectionApplicationResult<ConnectorTableHandle>> applyProjection(
            ConnectorSession session,
            ConnectorTableHandle handle,
            List<ConnectorExpression> projections,
            Map<String, ColumnHandle> assignments) {
        if (projections.stream().allMatch(Variable.class::isInstance)) {
            return Optional.empty(); // unchanged columns, the most frequent request of the engine
        }
        return scan(handle)
                .flatMap(
                        table ->
                                DereferencePushdown.apply(session, table, projections, assignments)
                                        .or(
                                                () ->
                                                        ExpressionPushdown.apply(
                                                                session,
                                                                definitions.types(),
                                                                table,
                                                                projections,
                                                                assignments)));
    }

    @Override
    public Optional<AggregationApplicationResult<ConnectorTableHandle>> applyAggregation(
            ConnectorSession session,
            ConnectorTableHandle handle,
            List<AggregateFunction> aggregates,
            Map<String, ColumnHandle> assignments,
            List<List<ColumnHandle>> groupingSets) {
        return scan(handle)
                .flatMap(
                        table ->
                                AggregationPushdown.apply(
                                        session,
                                        definitions.types(),
                                        table,
                                        aggregates,
                                        assignments,
                                        groupingSets,
                                        () -> getTableStatistics(session, handle),
                                        aggregations));
    }

    @Override
    public Optional<ConnectorResolvedIndex> resolveIndex(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Set<ColumnHandle> indexableColumns,
            Set<ColumnHandle> outputColumns,
            TupleDomain<ColumnHandle> tupleDomain) {
        return scan(tableHandle)
                .flatMap(
                        table ->
                                IndexJoins.resolve(
                                        session,
                                        table,
                                        indexableColumns,
                                        tupleDomain,
                                        (inner, lookup) ->
                                                costs.find(
                                                        session,
                                                        plans(),
                                                        inner,
                                                        inner.constraint(),
                                                        lookup)));
    }

    /** Accepts a delete whose only condition selects whole partitions. */
    @Override
    public Optional<ConnectorTableHandle> applyDelete(
            ConnectorSession session, ConnectorTableHandle handle) {
        SteleTableHandle table = StorageTables.requireOwn(handle);
        return PartitionConstraints.coverWholePartitions(table)
                ? Optional.of(table)
                : Optional.empty();
    }

    /**
     * Counts the deleted rows after the delete, at the LSN before it, because nothing has read them
     * earlier.
     */
    @Override
    public OptionalLong executeDelete(ConnectorSession session, ConnectorTableHandle handle) {
        SteleTableHandle table = (SteleTableHandle) handle;
        if (table.constraint().isNone()) {
            return OptionalLong.of(0);
        }
        ScanPredicate partitions = ScanPredicates.of(table.table(), table.constraint());
        Lsn gone = catalog.deletePartitions(table.table(), partitions);
        return rowCounts.before(
                gone, table.table(), partitions, SteleSessionProperties.queryIdentity(session));
    }

    @Override
    public Optional<SystemTable> getSystemTable(
            ConnectorSession session, SchemaTableName tableName) {
        return metadataTables.find(
                tableName, name -> snapshot.findTable(name).map(TableDescription::schema));
    }

    @Override
    public Optional<LimitApplicationResult<ConnectorTableHandle>> applyLimit(
            ConnectorSession session, ConnectorTableHandle handle, long limit) {
        return scan(handle).flatMap(table -> Pushdown.applyLimit(table, limit));
    }

    @Override
    public Optional<TopNApplicationResult<ConnectorTableHandle>> applyTopN(
            ConnectorSession session,
            ConnectorTableHandle handle,
            long topNCount,
            List<SortItem> sortItems,
            Map<String, ColumnHandle> assignments) {
        return scan(handle)
                .flatMap(table -> Pushdown.applyTopN(table, topNCount, sortItems, assignments));
    }

    @Override
    public Optional<SampleApplicationResult<ConnectorTableHandle>> applySample(
            ConnectorSession session,
            ConnectorTableHandle handle,
            SampleType sampleType,
            double sampleRatio) {
        return scan(handle)
                .flatMap(table -> Pushdown.applySample(session, table, sampleType, sampleRatio));
    }

    @Override
    public ConnectorTableProperties getTableProperties(
            ConnectorSession session, ConnectorTableHandle table) {
        return scan(table)
                .map(handle -> Bucketing.properties(definitions, handle))
                .orElseGet(ConnectorTableProperties::new);
    }

    @Override
    public Optional<ConnectorTableHandle> applyPartitioning(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Optional<ConnectorPartitioningHandle> partitioningHandle,
            List<ColumnHandle> columns) {
        return scan(tableHandle)
                .flatMap(
                        table ->
                                Bucketing.apply(
                                        session, definitions, table, partitioningHandle, columns));
    }

    @Override
    public TableStatistics getTableStatistics(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return scan(tableHandle)
                .map(
                        handle ->
                                statistics.read(
                                        session,
                                        handle,
                                        snapshot.findTable(handle.name()),
                                        snapshot::statistics))
                .orElseGet(TableStatistics::empty);
    }

    @Override
    public ConnectorAnalyzeMetadata getStatisticsCollectionMetadata(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Map<String, Object> analyzeProperties) {
        return TableAnalysis.metadata(tableHandle);
    }

    @Override
    public ConnectorTableHandle beginStatisticsCollection(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return tableHandle;
    }

    @Override
    public void finishStatisticsCollection(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Collection<ComputedStatistics> computedStatistics) {
        TableAnalysis.run(catalog, StorageTables.requireTable(tableHandle).name());
    }

    // Views

    @Override
    public void createView(
            ConnectorSession session,
            SchemaTableName viewName,
            ConnectorViewDefinition definition,
            Map<String, Object> viewProperties,
            boolean replace) {
        views.create(viewName, definition, replace);
    }

    @Override
    public void dropView(ConnectorSession session, SchemaTableName viewName) {
        views.drop(viewName, false);
    }

    @Override
    public void renameView(
            ConnectorSession session, SchemaTableName source, SchemaTableName target) {
        views.rename(source, false, target);
    }

    @Override
    public void refreshView(
            ConnectorSession session,
            SchemaTableName viewName,
            ConnectorViewDefinition viewDefinition) {
        views.refresh(viewName, viewDefinition);
    }

    @Override
    public void setViewComment(
            ConnectorSession session, SchemaTableName viewName, Optional<String> comment) {
        views.setComment(viewName, comment);
    }

    @Override
    public void setViewColumnComment(
            ConnectorSession session,
            SchemaTableName viewName,
            String columnName,
            Optional<String> comment) {
        views.setColumnComment(viewName, false, columnName, comment);
    }

    @Override
    public List<SchemaTableName> listViews(ConnectorSession session, Optional<String> schemaName) {
        return views.list(schemaName, false);
    }

    @Override
    public Map<SchemaTableName, ConnectorViewDefinition> getViews(
            ConnectorSession session, Optional<String> schemaName) {
        return views.all(schemaName);
    }

    @Override
    public Optional<ConnectorViewDefinition> getView(
            ConnectorSession session, SchemaTableName viewName) {
        return views.find(viewName, SteleSessionProperties.readLsn(session));
    }

    // Materialized views

    @Override
    public void createMaterializedView(
            ConnectorSession session,
            SchemaTableName viewName,
            ConnectorMaterializedViewDefinition definition,
            Map<String, Object> properties,
            boolean replace,
            boolean ignoreExisting) {
        materializedViews.create(viewName, definition, properties, replace, ignoreExisting);
    }

    @Override
    public void dropMaterializedView(ConnectorSession session, SchemaTableName viewName) {
        views.drop(viewName, true);
    }

    @Override
    public void renameMaterializedView(
            ConnectorSession session, SchemaTableName source, SchemaTableName target) {
        views.rename(source, true, target);
    }

    @Override
    public void setMaterializedViewProperties(
            ConnectorSession session,
            SchemaTableName viewName,
            Map<String, Optional<Object>> properties) {
        materializedViews.setProperties(viewName, properties);
    }

    @Override
    public void setMaterializedViewColumnComment(
            ConnectorSession session,
            SchemaTableName viewName,
            String columnName,
            Optional<String> comment) {
        views.setColumnComment(viewName, true, columnName, comment);
    }

    @Override
    public List<SchemaTableName> listMaterializedViews(
            ConnectorSession session, Optional<String> schemaName) {
        return views.list(schemaName, true);
    }

    @Override
    public Map<SchemaTableName, ConnectorMaterializedViewDefinition> getMaterializedViews(
            ConnectorSession session, Optional<String> schemaName) {
        return materializedViews.all(schemaName);
    }

    @Override
    public Optional<ConnectorMaterializedViewDefinition> getMaterializedView(
            ConnectorSession session, SchemaTableName viewName) {
        return materializedViews.find(viewName, SteleSessionProperties.readLsn(session));
    }

    @Override
    public Map<String, Object> getMaterializedViewProperties(
            ConnectorSession session,
            SchemaTableName viewName,
            ConnectorMaterializedViewDefinition materializedViewDefinition) {
        return materializedViews.properties(viewName);
    }

    @Override
    public MaterializedViewFreshness getMaterializedViewFreshness(
            ConnectorSession session, SchemaTableName viewName, boolean considerGracePeriod) {
        return materializedViews.freshness(viewName);
    }

    /** Trino runs the query and writes its rows. */
    @Override
    @SuppressWarnings("removal") // Trino 483 still calls it
    public boolean delegateMaterializedViewRefreshToConnector(
            ConnectorSession session, SchemaTableName viewName) {
        return false;
    }

    @Override
    public ConnectorInsertTableHandle beginRefreshMaterializedView(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            List<ConnectorTableHandle> sourceTableHandles,
            boolean hasForeignSourceTables,
            RetryMode retryMode,
            RefreshType refreshType) {
        return materializedViews.beginRefresh(StorageTables.requireTable(tableHandle));
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishRefreshMaterializedView(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            ConnectorInsertTableHandle insertHandle,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> computedStatistics,
            List<ConnectorTableHandle> sourceTableHandles,
            boolean hasForeignSourceTables,
            boolean hasSourceTableFunctions,
            boolean hasNonDeterministicFunctions) {
        materializedViews.finishRefresh(
                (SteleWriteHandle) insertHandle,
                fragments,
                session.getStart(),
                sourceTableHandles,
                hasForeignSourceTables || hasSourceTableFunctions || hasNonDeterministicFunctions);
        return Optional.empty();
    }

    // Writes

    @Override
    public Optional<ConnectorTableLayout> getNewTableLayout(
            ConnectorSession session, ConnectorTableMetadata tableMetadata) {
        return WriteLayouts.insert(definitions.toStele(tableMetadata));
    }

    @Override
    public Optional<ConnectorTableLayout> getInsertLayout(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return WriteLayouts.insert(StorageTables.requireTable(tableHandle).table());
    }

    /** One writer suffices for few rows; rows with keys still go to the writer of their shard. */
    @Override
    public WriterScalingOptions getNewTableWriterScalingOptions(
            ConnectorSession session,
            SchemaTableName tableName,
            Map<String, Object> tableProperties) {
        return WriterScalingOptions.ENABLED;
    }

    @Override
    public WriterScalingOptions getInsertWriterScalingOptions(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return WriterScalingOptions.ENABLED;
    }

    @Override
    public ConnectorOutputTableHandle beginCreateTable(
            ConnectorSession session,
            ConnectorTableMetadata tableMetadata,
            Optional<ConnectorTableLayout> layout,
            RetryMode retryMode,
            boolean replace) {
        TableSchema table =
                catalog.createTable(
                                definitions.toStele(tableMetadata),
                                TableProperties.tableGroup(tableMetadata.getProperties()),
                                true,
                                false,
                                replace)
                        .schema();
        return writes.begin(table, definitions.columnHandles(table), Optional.empty(), true);
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishCreateTable(
            ConnectorSession session,
            ConnectorOutputTableHandle tableHandle,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> computedStatistics) {
        writes.commit((SteleWriteHandle) tableHandle, fragments);
        return Optional.empty();
    }

    @Override
    public ConnectorInsertTableHandle beginInsert(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            List<ColumnHandle> columns,
            RetryMode retryMode) {
        return writes.begin(
                StorageTables.requireOwn(tableHandle).table(),
                columns.stream().map(SteleColumnHandle.class::cast).toList(),
                Optional.empty(),
                false,
                SteleSessionProperties.existingRows(session));
    }

    @Override
    public Optional<ConnectorOutputMetadata> finishInsert(
            ConnectorSession session,
            ConnectorInsertTableHandle insertHandle,
            List<ConnectorTableHandle> sourceTableHandles,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> computedStatistics) {
        writes.commit((SteleWriteHandle) insertHandle, fragments);
        return Optional.empty();
    }

    @Override
    public RowChangeParadigm getRowChangeParadigm(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return RowChangeParadigm.DELETE_ROW_AND_INSERT_ROW;
    }

    @Override
    public ColumnHandle getMergeRowIdColumnHandle(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return definitions.mergeRowId(StorageTables.requireTable(tableHandle).table());
    }

    @Override
    public Optional<ConnectorPartitioningHandle> getUpdateLayout(
            ConnectorSession session, ConnectorTableHandle tableHandle) {
        return WriteLayouts.update(StorageTables.requireTable(tableHandle).table());
    }

    @Override
    public ConnectorMergeTableHandle beginMerge(
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Map<Integer, Collection<ColumnHandle>> updateCaseColumns,
            RetryMode retryMode) {
        SteleTableHandle handle = StorageTables.requireOwn(tableHandle);
        PastTables.checkPresent(handle);
        SteleWriteHandle write =
                writes.begin(
                        handle.table(),
                        definitions.columnHandles(handle.table()),
                        Optional.of(handle.snapshot()),
                        false);
        return new SteleMergeHandle(handle, write);
    }

    @Override
    public void finishMerge(
            ConnectorSession session,
            ConnectorMergeTableHandle mergeTableHandle,
            List<ConnectorTableHandle> sourceTableHandles,
            Collection<Slice> fragments,
            Collection<ComputedStatistics> computedStatistics) {
        writes.commit(((SteleMergeHandle) mergeTableHandle).write(), fragments);
    }
}
