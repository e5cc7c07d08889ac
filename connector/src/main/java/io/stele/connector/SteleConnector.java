package io.stele.connector;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static io.trino.spi.connector.ConnectorCapabilities.DEFAULT_COLUMN_VALUE;
import static io.trino.spi.connector.ConnectorCapabilities.MATERIALIZED_VIEW_GRACE_PERIOD;
import static io.trino.spi.connector.ConnectorCapabilities.MATERIALIZED_VIEW_WHEN_STALE_BEHAVIOR;
import static io.trino.spi.connector.ConnectorCapabilities.NOT_NULL_COLUMN_CONSTRAINT;
import static io.trino.spi.transaction.IsolationLevel.READ_COMMITTED;
import static io.trino.spi.transaction.IsolationLevel.checkConnectorSupports;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.Sets;
import com.google.inject.Inject;
import io.airlift.bootstrap.LifeCycleManager;
import io.stele.connector.access.SystemTablesAccessControl;
import io.stele.connector.config.SteleConfig;
import io.stele.connector.config.SteleSessionProperties;
import io.stele.connector.metadata.SteleMetadata;
import io.stele.connector.metadata.SteleTransactions;
import io.stele.connector.metadata.TimedMetadata;
import io.stele.connector.metadata.catalog.TableProperties;
import io.stele.connector.metadata.procedure.TableProcedures;
import io.stele.connector.read.lookup.SteleIndexProvider;
import io.stele.connector.read.opening.StelePageSources;
import io.stele.connector.read.split.SteleSplitManager;
import io.stele.connector.write.StelePageSinks;
import io.stele.connector.write.StelePartitioning;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSinkProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSourceProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorSplitManager;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorTableFunction;
import io.trino.plugin.base.classloader.ClassLoaderSafeNodePartitioningProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeSystemTable;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorCapabilities;
import io.trino.spi.connector.ConnectorIndexProvider;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.connector.TableProcedureMetadata;
import io.trino.spi.function.table.ConnectorTableFunction;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.transaction.IsolationLevel;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The entrance of Trino to one Stele catalog on one node: transactions, splits, page sources and
 * sinks, procedures and properties. Thread-safe.
 */
public final class SteleConnector implements Connector {
    private final LifeCycleManager lifeCycle;
    private final SteleTransactions transactions;
    private final ConnectorSplitManager splitManager;
    private final ConnectorPageSourceProvider pageSources;
    private final ConnectorPageSinkProvider pageSinks;
    private final ConnectorNodePartitioningProvider partitioning;
    private final ConnectorIndexProvider indexProvider;
    private final Set<Procedure> procedures;
    private final Set<ConnectorTableFunction> tableFunctions;
    private final Set<SystemTable> systemTables;
    private final Optional<ConnectorAccessControl> accessControl;
    private final boolean aggregationPushdown; // the default of sessions
    private final ClassLoader classLoader = SteleConnector.class.getClassLoader();

    @Inject
    public SteleConnector(
            LifeCycleManager lifeCycle,
            SteleTransactions transactions,
            SteleSplitManager splitManager,
            StelePageSources pageSources,
            StelePageSinks pageSinks,
            StelePartitioning partitioning,
            SteleIndexProvider indexProvider,
            Set<Procedure> procedures,
            Set<ConnectorTableFunction> tableFunctions,
            Set<SystemTable> systemTables,
            Optional<ConnectorAccessControl> accessControl,
            SteleConfig config) {
        this.lifeCycle = requireNonNull(lifeCycle, "lifeCycle is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.splitManager = new ClassLoaderSafeConnectorSplitManager(splitManager, classLoader);
        this.pageSources = new ClassLoaderSafeConnectorPageSourceProvider(pageSources, classLoader);
        this.pageSinks = new ClassLoaderSafeConnectorPageSinkProvider(pageSinks, classLoader);
        this.indexProvider = requireNonNull(indexProvider, "indexProvider is null");
        this.procedures = Set.copyOf(procedures);
        this.tableFunctions =
                tableFunctions.stream()
                        .map(
                                function ->
                                        new ClassLoaderSafeConnectorTableFunction(
                                                function, classLoader))
                        .collect(toImmutableSet());
        this.systemTables =
                systemTables.stream()
                        .map(table -> new ClassLoaderSafeSystemTable(table, classLoader))
                        .collect(toImmutableSet());
        this.aggregationPushdown = config.isAggregationPushdownEnabled();
        this.accessControl =
                requireNonNull(accessControl, "accessControl is null")
                        .map(SystemTablesAccessControl::new);
        this.partitioning = new ClassLoaderSafeNodePartitioningProvider(partitioning, classLoader);
    }

    @Override
    public ConnectorTransactionHandle beginTransaction(
            IsolationLevel isolationLevel, boolean readOnly, boolean autoCommit) {
        // One snapshot per transaction is stronger than this level
        checkConnectorSupports(READ_COMMITTED, isolationLevel);
        return transactions.begin();
    }

    @Override
    public ConnectorMetadata getMetadata(
            ConnectorSession session, ConnectorTransactionHandle transactionHandle) {
        SteleMetadata metadata = transactions.metadata(transactionHandle, session);
        return TimedMetadata.of(
                new ClassLoaderSafeConnectorMetadata(metadata, classLoader), metadata.times());
    }

    @Override
    public void commit(ConnectorTransactionHandle transactionHandle) {
        transactions.end(transactionHandle);
    }

    @Override
    public void rollback(ConnectorTransactionHandle transactionHandle) {
        transactions.end(transactionHandle);
    }

    @Override
    public ConnectorSplitManager getSplitManager() {
        return splitManager;
    }

    @Override
    public ConnectorPageSourceProvider getPageSourceProvider() {
        return pageSources;
    }

    @Override
    public ConnectorPageSinkProvider getPageSinkProvider() {
        return pageSinks;
    }

    @Override
    public ConnectorNodePartitioningProvider getNodePartitioningProvider() {
        return partitioning;
    }

    @Override
    public ConnectorIndexProvider getIndexProvider() {
        return indexProvider;
    }

    @Override
    public ConnectorAccessControl getAccessControl() {
        return accessControl.orElseThrow(UnsupportedOperationException::new); // as Trino expects
    }

    @Override
    public Set<SystemTable> getSystemTables() {
        return systemTables;
    }

    @Override
    public Set<Procedure> getProcedures() {
        return procedures;
    }

    @Override
    public Set<ConnectorTableFunction> getTableFunctions() {
        return tableFunctions;
    }

    @Override
    public Set<TableProcedureMetadata> getTableProcedures() {
        return TableProcedures.all();
    }

    @Override
    public List<PropertyMetadata<?>> getTableProperties() {
        return TableProperties.all();
    }

    /** The properties of the table that stores the rows, except those that need a primary key. */
    @Override
    public List<PropertyMetadata<?>> getMaterializedViewProperties() {
        return TableProperties.ofMaterializedViews();
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties() {
        return SteleSessionProperties.all(aggregationPushdown);
    }

    @Override
    public Set<ConnectorCapabilities> getCapabilities() {
        return Sets.immutableEnumSet(
                DEFAULT_COLUMN_VALUE,
                NOT_NULL_COLUMN_CONSTRAINT,
                MATERIALIZED_VIEW_GRACE_PERIOD,
                MATERIALIZED_VIEW_WHEN_STALE_BEHAVIOR);
    }

    @Override
    public void shutdown() {
        lifeCycle.stop();
    }
}
