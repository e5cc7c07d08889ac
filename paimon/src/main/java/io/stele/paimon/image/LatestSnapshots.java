package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import io.stele.cache.SingleFlightCache;
import io.stele.paimon.lease.DelayedTasks;
import io.stele.paimon.lease.LeaseOptions;
import io.stele.paimon.lease.Leases;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the latest snapshots of tables in use, which background checks keep fresh, so that
 * queries that accept bounded staleness send no request; and of snapshots by id.
 *
 * <p>Invariant: a snapshot that {@link #latest} returns was the latest at a moment not longer ago
 * than the staleness asked for. Invariant: a failed check prolongs nothing: beyond the bound a
 * query checks itself and gets the failure.
 *
 * <p>Thread-safe.
 */
public final class LatestSnapshots implements AutoCloseable {
    // Names of manifest lists, numbers and a map of properties.
    private static final long SNAPSHOT_BYTES = 1_000;

    /**
     * @param dropped the failure, if the table is no longer there
     */
    private record Latest(Optional<Snapshot> snapshot, Optional<TableDroppedException> dropped) {}

    private record SnapshotKey(TableId table, long schemaTimeMillis, long id) {
        SnapshotKey {
            requireNonNull(table, "table is null");
        }
    }

    private final Leases<TableId, FileStoreTable, Latest> leases;
    private final SingleFlightCache<SnapshotKey, Snapshot> snapshots;

    /**
     * @param maxSnapshots the number of snapshots cached for reads at a given id
     * @param executor does the checks, which block
     */
    public LatestSnapshots(
            LeaseOptions options,
            int maxSnapshots,
            DelayedTasks timer,
            Executor executor,
            LongSupplier nanoTime) {
        checkArgument(maxSnapshots >= 0, "maxSnapshots must be >= 0: %s", maxSnapshots);
        this.leases =
                new Leases<>(
                        options,
                        this::check,
                        latest -> latest.dropped().isEmpty(),
                        timer,
                        executor,
                        nanoTime);
        this.snapshots =
                new SingleFlightCache<>(
                        "paimon-snapshots",
                        SNAPSHOT_BYTES * maxSnapshots,
                        snapshot -> SNAPSHOT_BYTES);
    }

    /** Ends the checks in the background. */
    @Override
    public void close() {
        leases.close();
    }

    /**
     * The latest snapshot of a table; empty: nothing is committed.
     *
     * @param maxStaleness zero: as the table is now, by a check of its own
     * @throws TableDroppedException if the table is no longer there
     */
    public Optional<Snapshot> latest(FileStoreTable table, Duration maxStaleness)
            throws IOException {
        Latest latest = leases.find(TableId.of(table), table, maxStaleness);
        if (latest.dropped().isPresent()) {
            throw latest.dropped().get();
        }
        return latest.snapshot();
    }

    /** Notes that this node has committed to a table, so that later queries see the commit. */
    public void committed(FileStoreTable table) {
        leases.expire(TableId.of(table));
    }

    /**
     * Forgets all branches of a table that was dropped, renamed, created or rolled back, so that
     * later queries check again.
     */
    public void forget(FileStoreTable table) {
        String location = table.location().toString();
        leases.forget(id -> id.location().equals(location));
        snapshots.removeIf(key -> key.table().location().equals(location));
    }

    /** The snapshot with this id, cached until the table is seen to be rolled back or replaced. */
    public Snapshot snapshot(FileStoreTable table, long id) throws IOException {
        return snapshots.<IOException>get(
                key(table, id),
                () -> {
                    Snapshot found = SnapshotCheck.find(table, id);
                    if (found == null) {
                        throw new FileNotFoundException(
                                "Snapshot %s of %s is not there: it may have expired"
                                        .formatted(id, table.location()));
                    }
                    return found;
                });
    }

    /** The same, read again from the store. */
    Snapshot snapshotAgain(FileStoreTable table, long id) throws IOException {
        snapshots.remove(key(table, id));
        return snapshot(table, id);
    }

    private static SnapshotKey key(FileStoreTable table, long id) {
        return new SnapshotKey(TableId.of(table), table.schema().timeMillis(), id);
    }

    /** The number of queries that waited for a check. */
    public long waitCount() {
        return leases.waitCount();
    }

    /** The number of checks. */
    public long checkCount() {
        return leases.checkCount();
    }

    /** The number of checks that failed. */
    public long failureCount() {
        return leases.failureCount();
    }

    private Latest check(FileStoreTable table, @Nullable Latest before) throws IOException {
        SnapshotCheck.Result found;
        try {
            found =
                    SnapshotCheck.latest(
                            table, before == null ? null : before.snapshot().orElse(null));
        } catch (TableDroppedException e) {
            return new Latest(Optional.empty(), Optional.of(e));
        }
        if (!found.continues()) {
            TableId id = TableId.of(table);
            snapshots.removeIf(key -> key.table().equals(id));
        }
        // Queries pin the snapshot by its id; it also replaces a snapshot that a rollback has
        // removed
        found.snapshot().ifPresent(snapshot -> snapshots.put(key(table, snapshot.id()), snapshot));
        return new Latest(found.snapshot(), Optional.empty());
    }
}
