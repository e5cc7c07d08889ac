package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.config.PaimonConfig;
import io.stele.paimon.image.LatestSnapshots;
import io.stele.paimon.lease.DelayedTasks;
import io.stele.paimon.lease.LeaseOptions;
import io.stele.paimon.store.Lake;
import io.stele.paimon.table.LakeTables;
import io.stele.paimon.write.TableCommits;
import io.stele.paimon.write.TableCompaction;
import io.trino.spi.connector.ConnectorMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import jakarta.annotation.PreDestroy;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The registry of the open Trino transactions of this catalog, which also stops its background
 * checks of schemas and snapshots. Thread-safe.
 */
public final class PaimonTransactions {
    private final TableNames names;
    private final TableLeases leases;
    private final LakeTables tables;
    private final LatestSnapshots snapshots;
    private final TableStatisticsReader statistics;
    private final WritableTables writable;
    private final TableDefinitions definitions;
    private final TableWrites writes;
    private final Map<ConnectorTransactionHandle, PaimonWriteMetadata> open =
            new ConcurrentHashMap<>();

    @Inject
    public PaimonTransactions(
            Lake lake,
            LakeTables tables,
            LatestSnapshots snapshots,
            TableStatisticsReader statistics,
            TableCommits commits,
            TableCompaction compaction,
            PaimonConfig config,
            LeaseOptions leaseOptions,
            @ForChecks DelayedTasks timer,
            @ForChecks Executor executor) {
        names = new TableNames(lake::catalog);
        leases =
                new TableLeases(
                        names,
                        config.isFileSystemMetastore(),
                        leaseOptions,
                        timer,
                        executor,
                        System::nanoTime);
        this.tables = requireNonNull(tables, "tables is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
        writable = new WritableTables(names, leases, snapshots, config.isWritesEnabled());
        definitions = new TableDefinitions(lake, names, writable);
        writes = new TableWrites(writable, tables, commits, compaction);
    }

    @PreDestroy
    public void stop() {
        leases.close();
        snapshots.close();
    }

    /** Begins a transaction. */
    public ConnectorTransactionHandle begin() {
        PaimonTransactionHandle handle = new PaimonTransactionHandle(UUID.randomUUID());
        open.put(
                handle,
                new PaimonWriteMetadata(
                        names,
                        leases,
                        tables,
                        snapshots,
                        statistics,
                        writable,
                        definitions,
                        writes));
        return handle;
    }

    /** The catalog as a transaction sees it. */
    public ConnectorMetadata metadata(ConnectorTransactionHandle handle) {
        return requireNonNull(open.get(handle), "the transaction is not open");
    }

    /** Ends a transaction whose statements are committed. */
    public void commit(ConnectorTransactionHandle handle) {
        open.remove(handle);
    }

    /**
     * Ends a transaction that failed, and drops a table that its CREATE TABLE AS did not finish.
     */
    public void rollback(ConnectorTransactionHandle handle) {
        PaimonWriteMetadata ended = open.remove(handle);
        if (ended != null) {
            ended.rollback();
        }
    }

    /** The number of queries that waited for a check of a table's definition. */
    long definitionWaitCount() {
        return leases.waitCount();
    }

    /** The tables as procedures change them. */
    public WritableTables writable() {
        return writable;
    }
}
