package io.stele.paimon.plan;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.config.PaimonSessionProperties;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonTableHandle;
import io.trino.spi.connector.ColumnHandle;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplitManager;
import io.trino.spi.connector.ConnectorSplitSource;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.Constraint;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * The connector's split manager on the coordinator, which returns for each scan a split source that
 * plans only at its first request. Thread-safe.
 */
public final class PaimonSplitManager implements ConnectorSplitManager {
    private final SplitPlanner planner;
    private final Executor executor;

    /**
     * @param executor runs what waits for the store
     */
    @Inject
    public PaimonSplitManager(SplitPlanner planner, @ForPlanning Executor executor) {
        this.planner = requireNonNull(planner, "planner is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    @Override
    public ConnectorSplitSource getSplits(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            ConnectorTableHandle tableHandle,
            Set<ColumnHandle> dynamicFilterColumns,
            Constraint constraint) {
        PaimonTableHandle table = (PaimonTableHandle) tableHandle;
        long splitBytes = PaimonSessionProperties.maxSplitSize(session).toBytes();
        long waitMillis =
                dynamicFilterColumns.stream()
                                .map(PaimonColumnHandle.class::cast)
                                .noneMatch(PaimonColumnHandle::isWhole)
                        ? 0
                        : PaimonSessionProperties.dynamicFilterWait(session).toMillis();
        return new PaimonSplitSource(
                dynamicFilter -> planner.plan(table, dynamicFilter, splitBytes),
                executor,
                waitMillis);
    }
}
