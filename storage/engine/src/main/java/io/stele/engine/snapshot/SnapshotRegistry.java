package io.stele.engine.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.TableEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The registry of a node's leased snapshots, of the row history that is retained for them, and of
 * the readers that may still use files.
 *
 * <p>Each table has a horizon: the LSN below which it may have dropped versions. The horizon
 * follows the time of expiry at the distance of the table's retention. It does not pass the oldest
 * LSN that is held for the table or for all tables ("lsnRef" in Hologres). A lease that holds more
 * than its limit beyond the retention is ended. For a while after a start the horizons stand still,
 * so that those who had leases before have time to lease their snapshots again.
 *
 * <p>Invariant: a horizon never moves back. Invariant: if a reader begins with an LSN at or above
 * the horizon, the horizon stays at or below that LSN until the reader ends. So no reader misses a
 * version that a flush or a compaction drops below the horizon. Guarded by its own lock.
 */
public final class SnapshotRegistry {
    private static final int MAX_OPEN = 10_000; // each retains history: more indicate a leak
    private static final int MAX_ENDED = 1_000;

    private final LongSupplier nowMillis;
    private final LongSupplier expiryMillis;
    private final Retention retention;
    private final String idPrefix;
    private final Map<String, Lease> leases = new HashMap<>();
    private final Map<String, String> ended = // why, of the last leases that were ended
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                    return size() > MAX_ENDED;
                }
            };
    private boolean isServing;
    private long servingSinceMillis;
    private final Readers readers = new Readers();
    private final HeldLsns held = new HeldLsns(); // for all tables
    private final Map<TableId, HeldLsns> heldOfTables = new HashMap<>();
    private final Map<TableId, Long> horizons = new ConcurrentHashMap<>(); // written under the lock
    private long passedLsn; // the highest horizon
    private long nextId;

    /**
     * @param nowMillis the clock of leases
     * @param expiryMillis the time by which rows expire and history is discarded, in epoch
     *     milliseconds; at most the present
     */
    public SnapshotRegistry(
            LongSupplier nowMillis,
            LongSupplier expiryMillis,
            Retention retention,
            String idPrefix) {
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.expiryMillis = requireNonNull(expiryMillis, "expiryMillis is null");
        this.retention = requireNonNull(retention, "retention is null");
        this.idPrefix = requireNonNull(idPrefix, "idPrefix is null");
    }

    /** Clients can lease snapshots, and renew leases, from now on. */
    public synchronized void serve() {
        isServing = true;
        servingSinceMillis = nowMillis.getAsLong();
    }

    /**
     * Whether no history may be discarded yet, since leases granted before the start have to be
     * renewed.
     */
    private boolean isGrace() {
        return retention.startMillis() > 0
                && (!isServing
                        || nowMillis.getAsLong() - servingSinceMillis < retention.startMillis());
    }

    /**
     * Leases a snapshot. Throws SNAPSHOT_EXPIRED when no table retains its history any more; {@link
     * #check} decides for one table.
     *
     * @param choose chooses the LSN of the snapshot, from the highest horizon that a table may have
     *     passed; called while the horizons do not move, so the present is never below a horizon;
     *     must not wait
     * @param tables the tables that may be read, whose history is retained; empty: all tables
     */
    public synchronized LeasedSnapshot open(
            UnaryOperator<Lsn> choose, Catalog catalog, long ttlMillis, Set<TableId> tables) {
        long kept =
                retained(
                        retention.longestMillis(
                                catalog)); // before the present is chosen, which is above it
        // Before it as well: with a short retention they move in the meantime
        Map<TableSchema, Lsn> horizonsOfTables = new LinkedHashMap<>();
        for (TableId table : tables) {
            catalog.findTable(table)
                    .map(TableEntry::schema)
                    .ifPresent(schema -> horizonsOfTables.put(schema, horizon(schema)));
        }
        Lsn lsn = choose.apply(new Lsn(Math.max(passedLsn, kept)));
        if (lsn.value() < kept && lsn.value() < oldestHeld(tables)) {
            throw expired("", kept, lsn);
        }
        horizonsOfTables.forEach((table, horizon) -> check(lsn, table, horizon));
        if (leases.size() >= MAX_OPEN) {
            throw new SteleException(
                    ErrorCode.BUSY,
                    "Expected at most " + MAX_OPEN + " open snapshots, found " + leases.size());
        }
        LeasedSnapshot snapshot =
                new LeasedSnapshot(idPrefix + ++nextId, lsn, expiryMillis, tables);
        leases.put(
                snapshot.id(),
                new Lease(snapshot, readers.enter(), nowMillis.getAsLong(), deadline(ttlMillis)));
        if (tables.isEmpty()) {
            hold(lsn);
        }
        tables.forEach(table -> hold(table, lsn));
        return snapshot;
    }

    /** The oldest LSN that is held for all tables, or for one of some. */
    private long oldestHeld(Set<TableId> tables) {
        return tables.stream().mapToLong(this::oldestHeld).reduce(held.oldest(), Math::min);
    }

    private long oldestHeld(TableId table) {
        HeldLsns own = heldOfTables.get(table);
        return own == null ? held.oldest() : Math.min(held.oldest(), own.oldest());
    }

    /**
     * Retains the history from {@code lsn} on, as far as tables still have it, until {@link
     * #release}.
     */
    public synchronized void hold(Lsn lsn) {
        held.add(lsn.value());
    }

    public synchronized void release(Lsn lsn) {
        held.remove(lsn.value());
    }

    /** Retains the history of one table from {@code lsn} on, until {@link #release}. */
    public synchronized void hold(TableId table, Lsn lsn) {
        heldOfTables.computeIfAbsent(table, _ -> new HeldLsns()).add(lsn.value());
    }

    public synchronized void release(TableId table, Lsn lsn) {
        heldOfTables.computeIfPresent(table, (_, own) -> own.remove(lsn.value()) ? null : own);
    }

    /** Refuses an LSN below the history of a table with SNAPSHOT_EXPIRED. */
    public void check(Lsn lsn, TableSchema table) {
        check(lsn, table, horizon(table));
    }

    private static void check(Lsn lsn, TableSchema table, Lsn horizon) {
        if (lsn.compareTo(horizon) < 0) {
            throw expired(" of table " + table.qualifiedName(), horizon.value(), lsn);
        }
    }

    public synchronized LeasedSnapshot find(String id) {
        return lease(id).snapshot;
    }

    public synchronized void renew(String id, long ttlMillis) {
        lease(id).deadlineMillis = deadline(ttlMillis);
    }

    public synchronized void close(String id) {
        Lease lease = leases.remove(id);
        if (lease != null) {
            end(lease);
        }
    }

    /** Ends the leases whose time is over, and those that would keep too much history. */
    public synchronized void expire(Catalog catalog) {
        long now = nowMillis.getAsLong();
        leases.values()
                .removeIf(
                        lease -> {
                            boolean over =
                                    lease.deadlineMillis < now || keepsTooMuch(lease, catalog);
                            if (over) {
                                end(lease);
                            }
                            return over;
                        });
    }

    private boolean keepsTooMuch(Lease lease, Catalog catalog) {
        long lsn = lease.snapshot.lsn().value();
        if (lsn >= retained(retention.leasedMillis())) {
            return false; // whatever the retention of its tables is
        }
        long most = retention.leasedMillis(catalog, lease.snapshot.tables());
        // After a long time away all history is old, and its readers have just come back
        if (lsn >= retained(most) || nowMillis.getAsLong() - lease.openedMillis <= most) {
            return false;
        }
        ended.put(
                lease.snapshot.id(),
                "Expected a snapshot that keeps the history of at most %s (the retention of its table and stele.snapshot.max-held-history), found one at LSN %s, which was ended"
                        .formatted(Duration.ofMillis(most), lease.snapshot.lsn().withTime()));
        return true;
    }

    /**
     * The LSN below which rows of the table have expired for a reader; {@code Long.MAX_VALUE}: a
     * reader of the present.
     */
    public long firstVisibleLsn(TableSchema table, long readLsn) {
        if (!table.options().expires()) {
            return 0;
        }
        long present =
                readLsn == Long.MAX_VALUE ? Lsn.of(nowMillis.getAsLong(), 0).value() : readLsn;
        return table.options().firstVisibleLsn(present, lastLsnOf(expiryMillis.getAsLong()));
    }

    /** The LSN below which no reader reads the table any more. */
    public synchronized Lsn horizon(TableSchema table) {
        long oldest = Math.min(retained(retention.millis(table)), oldestHeld(table.id()));
        return new Lsn(pass(table.id(), oldest));
    }

    private long pass(TableId table, long lsn) {
        passedLsn = Math.max(passedLsn, lsn);
        return horizons.merge(table, lsn, Math::max);
    }

    /** Lets a table drop its history below an LSN, as far as it is past and no lease holds it. */
    public synchronized void forgetBefore(TableId table, Lsn before) {
        if (isGrace()) {
            return; // a lease that is not renewed yet may hold it
        }
        long oldest = Math.min(before.value(), expiryMillis.getAsLong() << 16);
        pass(table, Math.min(oldest, oldestHeld(table)));
    }

    /** Restores the horizon of an earlier engine, which may have dropped history of the table. */
    public synchronized void restore(TableId table, Lsn horizon) {
        pass(table, horizon.value());
    }

    /** Forgets the horizon of a table that was dropped. */
    public synchronized void forget(TableId table) {
        horizons.remove(table);
    }

    /** The last returned {@link #horizon} of the table: nothing above it was dropped. */
    public long passedLsn(TableId table) {
        return horizons.getOrDefault(table, 0L);
    }

    public synchronized int openCount() {
        return leases.size();
    }

    /** The readers that may be using files: obsolete files stay until these readers end. */
    public Readers readers() {
        return readers;
    }

    private Lease lease(String id) {
        Lease lease = leases.get(id);
        if (lease == null) {
            throw new SteleException(
                    ErrorCode.SNAPSHOT_EXPIRED,
                    ended.getOrDefault(
                            id,
                            "Expected an open snapshot, found '"
                                    + id
                                    + "', which is closed or expired"));
        }
        return lease;
    }

    private void end(Lease lease) {
        readers.exit(lease.reader);
        Lsn lsn = lease.snapshot.lsn();
        Set<TableId> tables = lease.snapshot.tables();
        if (tables.isEmpty()) {
            release(lsn);
        }
        tables.forEach(table -> release(table, lsn));
    }

    /** The LSN from which on history is kept without a lease. */
    private long retained(long retentionMillis) {
        return isGrace() ? 0 : Math.max(0, expiryMillis.getAsLong() - retentionMillis) << 16;
    }

    /** The last LSN of a millisecond. */
    static long lastLsnOf(long millis) {
        return (millis + 1 << 16) - 1;
    }

    private static SteleException expired(String of, long horizon, Lsn found) {
        return new SteleException(
                ErrorCode.SNAPSHOT_EXPIRED,
                "Expected an LSN at or after "
                        + new Lsn(horizon).withTime()
                        + ", the end of the retained history"
                        + of
                        + ", found "
                        + found.withTime());
    }

    private long deadline(long ttlMillis) {
        return nowMillis.getAsLong() + ttlMillis;
    }

    /** Held LSNs, with the number of holders of each. */
    private static final class HeldLsns {
        private final TreeMap<Long, Integer> counts = new TreeMap<>();

        void add(long lsn) {
            counts.merge(lsn, 1, Integer::sum);
        }

        /** Removes a holder of an LSN; true if no LSN is left. */
        boolean remove(long lsn) {
            counts.computeIfPresent(lsn, (value, count) -> count == 1 ? null : count - 1);
            return counts.isEmpty();
        }

        /** The oldest held LSN; {@code Long.MAX_VALUE} if there is none. */
        long oldest() {
            return counts.isEmpty() ? Long.MAX_VALUE : counts.firstKey();
        }
    }

    private static final class Lease {
        private final LeasedSnapshot snapshot;
        private final Readers.Generation reader;
        private final long openedMillis;
        private long deadlineMillis;

        private Lease(
                LeasedSnapshot snapshot,
                Readers.Generation reader,
                long openedMillis,
                long deadlineMillis) {
            this.snapshot = snapshot;
            this.reader = reader;
            this.openedMillis = openedMillis;
            this.deadlineMillis = deadlineMillis;
        }
    }
}
