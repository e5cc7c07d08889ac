package io.stele.paimon.metadata;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.image.LatestSnapshots;
import org.weakref.jmx.Managed;

/**
 * The JMX metrics of the checks for new definitions and snapshots of tables, since the catalog's
 * start on this node. Thread-safe.
 */
public final class LeaseMetrics {
    private final LatestSnapshots snapshots;
    private final PaimonTransactions transactions;

    @Inject
    public LeaseMetrics(LatestSnapshots snapshots, PaimonTransactions transactions) {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
    }

    @Managed(description = "Times that a query waited for the lake to learn a table's state")
    public long getWaits() {
        return snapshots.waitCount() + transactions.definitionWaitCount();
    }

    @Managed(description = "Checks for new snapshots, also those in the background")
    public long getSnapshotChecks() {
        return snapshots.checkCount();
    }

    @Managed(description = "Checks for new snapshots that failed")
    public long getFailedSnapshotChecks() {
        return snapshots.failureCount();
    }
}
