package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.store.Lake;
import io.stele.paimon.table.LakeTables;
import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The open Trino transactions of this catalog. Thread-safe. */
public final class PaimonTransactions {
    private final Lake lake;
    private final LakeTables tables;
    private final SnapshotSource snapshots;
    private final TableStatisticsReader statistics;
    private final Map<ConnectorTransactionHandle, PaimonMetadata> open = new ConcurrentHashMap<>();

    @Inject
    public PaimonTransactions(
            Lake lake,
            LakeTables tables,
            SnapshotSource snapshots,
            TableStatisticsReader statistics) {
        this.lake = requireNonNull(lake, "lake is null");
        this.tables = requireNonNull(tables, "tables is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.statistics = requireNonNull(statistics, "statistics is null");
    }

    /** Begins one. */
    public ConnectorTransactionHandle begin() {
        PaimonTransactionHandle handle = new PaimonTransactionHandle(UUID.randomUUID());
        open.put(
                handle,
                new PaimonMetadata(new TableNames(lake.catalog()), tables, snapshots, statistics));
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
