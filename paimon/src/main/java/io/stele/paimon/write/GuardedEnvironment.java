package io.stele.paimon.write;

import static java.util.Objects.requireNonNull;

import org.apache.paimon.catalog.RenamingSnapshotCommit;
import org.apache.paimon.catalog.SnapshotCommit;
import org.apache.paimon.operation.Lock;
import org.apache.paimon.table.CatalogEnvironment;
import org.apache.paimon.table.PartitionMarkDone;
import org.apache.paimon.table.PartitionModification;
import org.apache.paimon.utils.SnapshotManager;
import org.jspecify.annotations.Nullable;

/**
 * The catalog environment of a table for one commit, which delegates to the table's own environment
 * but creates the snapshot under a {@link CommitGuard}. Confined to the thread that commits.
 */
final class GuardedEnvironment extends CatalogEnvironment {
    private static final long serialVersionUID = 1L;

    private final transient CatalogEnvironment catalog;
    private final transient CommitGuard guard;

    GuardedEnvironment(CatalogEnvironment catalog, CommitGuard guard) {
        super(
                catalog.identifier(),
                catalog.uuid(),
                catalog.catalogLoader(),
                catalog.lockFactory(),
                catalog.lockContext(),
                catalog.catalogContext(),
                catalog.supportsVersionManagement(),
                false);
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.guard = requireNonNull(guard, "guard is null");
    }

    @Override
    public SnapshotCommit snapshotCommit(SnapshotManager snapshots) {
        SnapshotCommit commit = catalog.snapshotCommit(snapshots);
        return guard.over(
                commit == null ? new RenamingSnapshotCommit(snapshots, Lock.empty()) : commit,
                snapshots);
    }

    @Override
    public @Nullable PartitionModification partitionModification() {
        return catalog.partitionModification();
    }

    @Override
    public @Nullable PartitionMarkDone partitionMarkDone() {
        return catalog.partitionMarkDone();
    }
}
