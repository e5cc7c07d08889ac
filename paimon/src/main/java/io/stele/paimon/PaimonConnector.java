package io.stele.paimon;

import static io.trino.spi.transaction.IsolationLevel.READ_COMMITTED;
import static io.trino.spi.transaction.IsolationLevel.checkConnectorSupports;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.airlift.bootstrap.LifeCycleManager;
import io.stele.paimon.config.PaimonSessionProperties;
import io.stele.paimon.metadata.PaimonTransactions;
import io.stele.paimon.metadata.TableProperties;
import io.stele.paimon.plan.PaimonSplitManager;
import io.stele.paimon.procedure.PaimonProcedures;
import io.stele.paimon.write.MergeRowPageSources;
import io.stele.paimon.write.PaimonPageSinks;
import io.stele.paimon.write.PaimonPartitioning;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorMetadata;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSinkProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorPageSourceProvider;
import io.trino.plugin.base.classloader.ClassLoaderSafeConnectorSplitManager;
import io.trino.plugin.base.classloader.ClassLoaderSafeNodePartitioningProvider;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.Connector;
import io.trino.spi.connector.ConnectorCapabilities;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorNodePartitioningProvider;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorPageSourceProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.procedure.Procedure;
import io.trino.spi.session.PropertyMetadata;
import io.trino.spi.transaction.IsolationLevel;
import java.util.List;
import java.util.Set;

/**
 * Trino's entry point to one Paimon catalog on one node, which returns the parts that plan, read,
 * write and maintain its tables. Thread-safe.
 */
public final class PaimonConnector implements Connector {
    private final LifeCycleManager lifeCycle;
    private final PaimonTransactions transactions;
    private final ConnectorSplitManager splitManager;
    private final ConnectorPageSourceProvider pageSources;
    private final ConnectorPageSinkProvider pageSinks;
    private final ConnectorNodePartitioningProvider partitioning;
    private final PaimonProcedures procedures;
    private final PaimonSessionProperties sessionProperties;
    private final ClassLoader classLoader = PaimonConnector.class.getClassLoader();

    @Inject
    public PaimonConnector(
            LifeCycleManager lifeCycle,
            PaimonTransactions transactions,
            PaimonSplitManager splitManager,
            MergeRowPageSources pageSources,
            PaimonPageSinks pageSinks,
            PaimonPartitioning partitioning,
            PaimonProcedures procedures,
            PaimonSessionProperties sessionProperties) {
        this.lifeCycle = requireNonNull(lifeCycle, "lifeCycle is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.splitManager = new ClassLoaderSafeConnectorSplitManager(splitManager, classLoader);
        this.pageSources = new ClassLoaderSafeConnectorPageSourceProvider(pageSources, classLoader);
        this.pageSinks = new ClassLoaderSafeConnectorPageSinkProvider(pageSinks, classLoader);
        this.partitioning = new ClassLoaderSafeNodePartitioningProvider(partitioning, classLoader);
        this.procedures = requireNonNull(procedures, "procedures is null");
        this.sessionProperties = requireNonNull(sessionProperties, "sessionProperties is null");
    }

    @Override
    public ConnectorTransactionHandle beginTransaction(
            IsolationLevel isolationLevel, boolean readOnly, boolean autoCommit) {
        // One snapshot of each table is stronger than this level
        checkConnectorSupports(READ_COMMITTED, isolationLevel);
        return transactions.begin();
    }

    @Override
    public ConnectorMetadata getMetadata(
            ConnectorSession session, ConnectorTransactionHandle transaction) {
        return new ClassLoaderSafeConnectorMetadata(
                transactions.metadata(transaction), classLoader);
    }

    @Override
    public void commit(ConnectorTransactionHandle transaction) {
        transactions.commit(transaction);
    }

    @Override
    public void rollback(ConnectorTransactionHandle transaction) {
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(classLoader)) {
            transactions.rollback(transaction);
        }
    }

    /** Each statement is committed by itself, as Paimon's snapshots are. */
    @Override
    public boolean isSingleStatementWritesOnly() {
        return true;
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
    public Set<Procedure> getProcedures() {
        return procedures.all();
    }

    /** Columns of tables can be declared NOT NULL. */
    @Override
    public Set<ConnectorCapabilities> getCapabilities() {
        return Set.of(ConnectorCapabilities.NOT_NULL_COLUMN_CONSTRAINT);
    }

    @Override
    public List<PropertyMetadata<?>> getSessionProperties() {
        return sessionProperties.getSessionProperties();
    }

    @Override
    public List<PropertyMetadata<?>> getTableProperties() {
        return TableProperties.all();
    }

    @Override
    public void shutdown() {
        lifeCycle.stop();
    }
}
