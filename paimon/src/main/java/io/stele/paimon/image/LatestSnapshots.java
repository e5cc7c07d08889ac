package io.stele.paimon.image;

import static com.google.common.base.Preconditions.checkArgument;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.airlift.log.Logger;
import io.stele.cache.SingleFlightCache;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the latest snapshots of tables in use, which background checks keep fresh, so that
 * queries that accept bounded staleness send no request.
 *
 * <p>Invariant: a snapshot that {@link #latest} returns was the latest at a moment not longer ago
 * than the staleness asked for; the age counts from the start of the check that found it.
 * Invariant: a failed check prolongs nothing: beyond the bound a query checks itself and gets the
 * failure. Invariant: no lock is held during a check.
 *
 * <p>Thread-safe.
 */
public final class LatestSnapshots implements AutoCloseable {
    private static final Logger log = Logger.get(LatestSnapshots.class);
    // Names of manifest lists, numbers and a map of properties.
    private static final long SNAPSHOT_BYTES = 1_000;

    /**
     * @param startNanos when the check began
     */
    private record Checked(Optional<Snapshot> snapshot, long startNanos) {
        Checked {
            requireNonNull(snapshot, "snapshot is null");
        }
    }

    private record Check(long startNanos, CompletableFuture<Checked> result) {
        Check {
            requireNonNull(result, "result is null");
        }
    }

    private record SnapshotKey(TableId table, long schemaTimeMillis, long id) {
        SnapshotKey {
            requireNonNull(table, "table is null");
        }
    }

    private static final class Lease {
        private final AtomicReference<@Nullable Checked> checked = new AtomicReference<>();
        private final AtomicReference<@Nullable Check> running = new AtomicReference<>();
        // The id of the snapshot that a commit reported and no check has seen yet; 0: none.
        private final AtomicLong required = new AtomicLong();
        private volatile FileStoreTable table;
        private volatile long usedNanos;

        private Lease(FileStoreTable table, long usedNanos) {
            this.table = table;
            this.usedNanos = usedNanos;
        }
    }

    private final LeaseOptions options;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<TableId, Lease> leases = new ConcurrentHashMap<>();
    private final SingleFlightCache<SnapshotKey, Snapshot> snapshots;
    private final LongAdder failures = new LongAdder();
    private volatile @Nullable Future<?> ticks;

    /**
     * @param scheduler starts the checks, and never blocks
     * @param executor does the checks, which block
     */
    public LatestSnapshots(
            LeaseOptions options,
            ScheduledExecutorService scheduler,
            Executor executor,
            LongSupplier nanoTime) {
        this.options = requireNonNull(options, "options is null");
        this.scheduler = requireNonNull(scheduler, "scheduler is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.snapshots =
                new SingleFlightCache<>(
                        "paimon-snapshots",
                        SNAPSHOT_BYTES * options.maxSnapshots(),
                        snapshot -> SNAPSHOT_BYTES);
    }

    /** Begins the checks in the background. Without it, queries check themselves. */
    public void start() {
        ticks =
                scheduler.scheduleWithFixedDelay(
                        this::tick,
                        options.interval().toNanos(),
                        options.interval().toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    /** Ends the checks in the background. */
    @Override
    public void close() {
        Future<?> running = ticks;
        if (running != null) {
            running.cancel(false);
        }
    }

    /**
     * The latest snapshot of a table; empty: nothing is committed.
     *
     * @param maxStaleness zero: as the table is now, by a check of its own
     * @throws TableDroppedException if the table is no longer there
     */
    public Optional<Snapshot> latest(FileStoreTable table, Duration maxStaleness)
            throws IOException {
        checkArgument(!maxStaleness.isNegative(), "maxStaleness must be >= 0: %s", maxStaleness);
        long now = nanoTime.getAsLong();
        Lease lease = lease(table, now);
        long oldest = maxStaleness.toNanos();
        Checked checked = lease.checked.get();
        if (oldest > 0
                && checked != null
                && now - checked.startNanos() <= oldest
                && satisfies(lease, checked)) {
            return checked.snapshot();
        }
        Check running = lease.running.get();
        if (oldest > 0
                && running != null
                && lease.required.get() == 0
                && now - running.startNanos() <= oldest) {
            return await(running.result()).snapshot();
        }
        long required = lease.required.get();
        Checked mine = check(lease, now);
        // The result of the check counts, even if a rollback has removed the required snapshot.
        lease.required.compareAndSet(required, 0);
        return mine.snapshot();
    }

    /**
     * Notes the snapshot of a commit to the table, so that later queries see it or a newer
     * snapshot.
     */
    public void advancedTo(FileStoreTable table, long snapshotId) {
        lease(table, nanoTime.getAsLong()).required.accumulateAndGet(snapshotId, Math::max);
    }

    /**
     * Forgets all branches of a table that was dropped, renamed, created or rolled back, so that
     * later queries check again.
     */
    public void forget(FileStoreTable table) {
        String location = table.location().toString();
        leases.keySet().removeIf(id -> id.location().equals(location));
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

    private static SnapshotKey key(FileStoreTable table, long id) {
        return new SnapshotKey(TableId.of(table), table.schema().timeMillis(), id);
    }

    /** The number of checks that failed. */
    public long failureCount() {
        return failures.sum();
    }

    /** Starts a check of every table in use, and forgets the other tables. */
    void tick() {
        long now = nanoTime.getAsLong();
        for (Map.Entry<TableId, Lease> entry : leases.entrySet()) {
            Lease lease = entry.getValue();
            if (now - lease.usedNanos > options.idleAfter().toNanos()) {
                leases.remove(entry.getKey(), lease);
            } else if (lease.running.get() == null) {
                try {
                    executor.execute(() -> checkInBackground(lease));
                } catch (RejectedExecutionException e) {
                    log.debug(e, "No thread to check a table");
                }
            }
        }
    }

    private void checkInBackground(Lease lease) {
        try {
            check(lease, nanoTime.getAsLong());
        } catch (IOException | RuntimeException e) {
            log.debug(e, "A check of %s failed", lease.table.location());
        }
    }

    private static boolean satisfies(Lease lease, Checked checked) {
        long required = lease.required.get();
        if (required == 0) {
            return true;
        }
        boolean satisfied = checked.snapshot().map(Snapshot::id).orElse(0L) >= required;
        if (satisfied) {
            lease.required.compareAndSet(required, 0);
        }
        return satisfied;
    }

    private Lease lease(FileStoreTable table, long now) {
        TableId id = TableId.of(table);
        Lease lease = leases.computeIfAbsent(id, absent -> new Lease(table, now));
        lease.table = table;
        lease.usedNanos = now;
        if (leases.size() > options.maxTables()) {
            leases.entrySet().stream()
                    .filter(entry -> entry.getValue() != lease)
                    .max(Comparator.comparingLong(entry -> now - entry.getValue().usedNanos))
                    .ifPresent(entry -> leases.remove(entry.getKey(), entry.getValue()));
        }
        return lease;
    }

    private Checked check(Lease lease, long startNanos) throws IOException {
        Check mine = new Check(startNanos, new CompletableFuture<>());
        lease.running.compareAndSet(null, mine); // else it runs beside another check
        Checked before = lease.checked.get();
        try {
            SnapshotCheck.Result found =
                    SnapshotCheck.latest(
                            lease.table, before == null ? null : before.snapshot().orElse(null));
            if (!found.continues()) {
                TableId id = TableId.of(lease.table);
                snapshots.removeIf(key -> key.table().equals(id));
            }
            Checked checked = new Checked(found.snapshot(), startNanos);
            // Queries pin the snapshot by its id; it also replaces a snapshot that a rollback has
            // removed
            found.snapshot()
                    .ifPresent(
                            snapshot -> snapshots.put(key(lease.table, snapshot.id()), snapshot));
            publish(lease, checked);
            mine.result().complete(checked);
            return checked;
        } catch (Throwable failure) {
            failures.increment();
            if (failure instanceof TableDroppedException) {
                lease.checked.compareAndSet(before, null);
            }
            mine.result().completeExceptionally(failure);
            throw failure;
        } finally {
            lease.running.compareAndSet(mine, null);
        }
    }

    /**
     * Stores the result of a check, unless a check that began later has stored its result already.
     */
    private static void publish(Lease lease, Checked checked) {
        lease.checked.accumulateAndGet(
                checked,
                (present, mine) ->
                        present == null || mine.startNanos() - present.startNanos() >= 0
                                ? mine
                                : present);
    }

    private static Checked await(CompletableFuture<Checked> result) throws IOException {
        try {
            return result.join();
        } catch (CompletionException e) {
            Throwable cause = requireNonNull(e.getCause(), "cause is null");
            Throwables.throwIfInstanceOf(cause, IOException.class);
            Throwables.throwIfUnchecked(cause);
            throw new IOException("a check failed", cause);
        }
    }
}
