package io.stele.paimon.metadata;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.io.FileNotFoundException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the definitions of tables in use, which background checks keep fresh, so that queries
 * that accept bounded staleness send no request. Other clients alter, drop and rename tables at any
 * time.
 *
 * <p>Invariant: a table that {@link #find} returns had this schema at a moment not longer ago than
 * the staleness asked for; the age counts from the start of the check that found it. Invariant: a
 * failed check prolongs nothing. No lock is held during a check. Thread-safe.
 */
final class TableLeases implements AutoCloseable {
    private static final Logger log = Logger.get(TableLeases.class);

    /** Beyond this number, the table that was used longest ago is forgotten. */
    private static final int MAX_TABLES = 1_000;

    /** A table that no query used for this long is forgotten. */
    private static final Duration IDLE_AFTER = Duration.ofMinutes(5);

    private final TableNames names;
    private final boolean schemasAreFiles;
    private final Duration interval;
    private final ScheduledExecutorService scheduler;
    private final Executor executor;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<SchemaTableName, Lease> leases = new ConcurrentHashMap<>();

    /**
     * The number of changes of tables by this node. A table that was found during a change may be
     * the table before the change.
     */
    private final AtomicLong changes = new AtomicLong();

    private volatile @Nullable Future<?> ticks;

    /**
     * @param startNanos when the check began that found it
     */
    private record Checked(FileStoreTable table, long startNanos) {}

    private static final class Lease {
        private final AtomicBoolean isChecking = new AtomicBoolean(); // in the background
        private volatile Checked checked;
        private volatile long usedNanos;

        private Lease(Checked checked) {
            this.checked = checked;
            this.usedNanos = checked.startNanos();
        }
    }

    /**
     * @param schemasAreFiles whether the newest schema file of a table is its schema, as with a
     *     metastore that is the file system; otherwise a check requests the table from the
     *     metastore
     * @param interval between two checks of a table in use
     * @param scheduler starts the checks, and never blocks
     * @param executor does the checks, which block
     */
    TableLeases(
            TableNames names,
            boolean schemasAreFiles,
            Duration interval,
            ScheduledExecutorService scheduler,
            Executor executor,
            LongSupplier nanoTime) {
        this.names = requireNonNull(names, "names is null");
        this.schemasAreFiles = schemasAreFiles;
        this.interval = requireNonNull(interval, "interval is null");
        this.scheduler = requireNonNull(scheduler, "scheduler is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    /** Begins the checks in the background. Without it, queries check themselves. */
    void start() {
        ticks =
                scheduler.scheduleWithFixedDelay(
                        this::tick, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        Future<?> running = ticks;
        if (running != null) {
            running.cancel(false);
        }
    }

    /**
     * A table as it was not longer ago than {@code maxStaleness}, if it exists. Only tables with
     * files of Paimon are cached.
     *
     * @param maxStaleness zero: as it is now
     */
    Optional<Table> find(SchemaTableName name, Duration maxStaleness) {
        long now = nanoTime.getAsLong();
        Lease lease = leases.get(name);
        if (lease != null) {
            lease.usedNanos = now;
            Checked checked = lease.checked;
            if (now - checked.startNanos() < maxStaleness.toNanos()
                    || isCurrent(lease, checked, now)) {
                return Optional.of(lease.checked.table());
            }
        }
        long changesBefore = changes.get();
        Optional<Table> found = names.find(name);
        if (found.isPresent() && found.get() instanceof FileStoreTable table) {
            Lease fresh = new Lease(new Checked(table, now));
            leases.put(name, fresh);
            if (changes.get() != changesBefore) {
                // The change may be of this table, and not be in what was found
                leases.remove(name, fresh);
            }
            forgetOldest(name);
        } else {
            leases.remove(name);
        }
        return found;
    }

    /**
     * Drops the leases of a table that this node has changed and of its branches, so that later
     * queries see the change.
     */
    void forget(SchemaTableName name) {
        changes.incrementAndGet();
        leases.keySet()
                .removeIf(
                        other ->
                                other.equals(name)
                                        || other.getSchemaName().equals(name.getSchemaName())
                                                && other.getTableName()
                                                        .startsWith(name.getTableName() + "$"));
    }

    /** Drops the leases of all tables of a schema that this node has created or dropped. */
    void forgetSchema(String schema) {
        changes.incrementAndGet();
        leases.keySet().removeIf(name -> name.getSchemaName().equals(schema));
    }

    private void forgetOldest(SchemaTableName newest) {
        if (leases.size() > MAX_TABLES) {
            leases.entrySet().stream()
                    .filter(entry -> !entry.getKey().equals(newest))
                    .min(Comparator.comparingLong(entry -> entry.getValue().usedNanos))
                    .ifPresent(entry -> leases.remove(entry.getKey(), entry.getValue()));
        }
    }

    /** Starts a check of each table in use, and forgets the other tables. */
    void tick() {
        long now = nanoTime.getAsLong();
        leases.forEach(
                (name, lease) -> {
                    if (now - lease.usedNanos > IDLE_AFTER.toNanos()) {
                        leases.remove(name, lease);
                    } else if (lease.isChecking.compareAndSet(false, true)) {
                        try {
                            executor.execute(() -> checkInBackground(name, lease));
                        } catch (RejectedExecutionException e) {
                            lease.isChecking.set(false);
                        }
                    }
                });
    }

    private void checkInBackground(SchemaTableName name, Lease lease) {
        try {
            long start = nanoTime.getAsLong();
            if (isCurrent(lease, lease.checked, start)) {
                return;
            }
            Optional<Table> found = names.find(name);
            if (found.isPresent() && found.get() instanceof FileStoreTable table) {
                lease.checked = new Checked(table, start);
            } else {
                leases.remove(name, lease);
            }
        } catch (RuntimeException e) {
            // The query that finds the lease too old gets the failure
            log.debug(e, "The check of table %s failed", name);
        } finally {
            lease.isChecking.set(false);
        }
    }

    /**
     * Whether the schema file of a table is still the newest and unchanged, which extends the
     * lease; false where schemas are not files.
     */
    private boolean isCurrent(Lease lease, Checked checked, long startNanos) {
        if (!schemasAreFiles || !hasSameSchema(checked.table())) {
            return false;
        }
        if (startNanos - lease.checked.startNanos() > 0) {
            lease.checked = new Checked(checked.table(), startNanos);
        }
        return true;
    }

    /**
     * Whether the next schema file is absent and the file of this schema is unchanged, by two
     * requests.
     */
    private static boolean hasSameSchema(FileStoreTable table) {
        TableSchema schema = table.schema();
        try {
            if (table.schemaManager().schemaExists(schema.id() + 1)) {
                return false;
            }
            return SchemaManager.tryFromPath(
                                    table.fileIO(), table.schemaManager().toSchemaPath(schema.id()))
                            .timeMillis()
                    == schema.timeMillis();
        } catch (FileNotFoundException e) {
            return false;
        } catch (RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read the schema of %s: %s".formatted(table.location(), e.getMessage()),
                    e);
        }
    }
}
