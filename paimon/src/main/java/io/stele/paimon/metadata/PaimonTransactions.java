package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.config.PaimonConfig;
import io.stele.paimon.image.SnapshotLeases;
import io.stele.paimon.store.Lake;
import io.stele.paimon.table.LakeTables;
import io.trino.spi.connector.ConnectorTransactionHandle;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** The open Trino transactions of this catalog. Thread-safe. */
public final class PaimonTransactions {
    private final TableNames names;
    private final TableLeases leases;
    private final ScheduledExecutorService scheduler;
    private final LakeTables tables;
    private final SnapshotLeases snapshots;
    private final TableStatisticsReader statistics;
    private final Map<ConnectorTransactionHandle, PaimonMetadata> open = new ConcurrentHashMap<>();

    @Inject
    public PaimonTransactions(
            Lake lake,
            LakeTables tables,
            SnapshotLeases snapshots,
            TableStatisticsReader statistics,
            PaimonConfig config,
            @ForChecks ScheduledExecutorService scheduler,
            @ForChecks Executor executor) {
        this.scheduler = requireNonNull(scheduler, "scheduler is null");
        names = new TableNames(lake.catalog());
        leases =
                new TableLeases(
                        names,
                        config.isFileSystemMetastore(),
                        config.getSnapshotCheckInterval().toJavaTime(),
                        scheduler,
                        executor,
                        System::nanoTime);
        this.tables = requireNonNull(tables, "tables is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    @PostConstruct
    public void start() {
        leases.start();
        snapshots.start();
    }

    @PreDestroy
    public void stop() {
        leases.close();
        snapshots.close();
        scheduler.shutdownNow();
    }

    /** Begins one. */
    public ConnectorTransactionHandle begin() {
        PaimonTransactionHandle handle = new PaimonTransactionHandle(UUID.randomUUID());
        open.put(handle, new PaimonMetadata(names, leases, tables, snapshots, statistics));
        return handle;
    }

    /** The catalog as a transaction sees it. */
    public PaimonMetadata metadata(ConnectorTransactionHandle handle) {
        return requireNonNull(open.get(handle), "the transaction is not open");
    }

    /** Ends one. */
    public void end(ConnectorTransactionHandle handle) {
        open.remove(handle);
    }
}
