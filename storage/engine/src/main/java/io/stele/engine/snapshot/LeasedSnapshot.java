package io.stele.engine.snapshot;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.TableView;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A leased snapshot at one LSN, for scans and lookups. A reader of it sees exactly the writes at or
 * below its LSN, for as long as the lease lasts.
 *
 * <p>The first access to a table of a shard fixes the view. So the plan and the live scan of one
 * query use the same memtables and files, regardless of flushes between them. Thread-safe.
 */
public final class LeasedSnapshot {
    private final String id;
    private final Lsn lsn;
    private final LongSupplier expiryMillis;
    private final Set<TableId> tables;
    private final Map<Part, TableView> views = new ConcurrentHashMap<>();
    private final Map<TableId, Long> firstVisible = new ConcurrentHashMap<>();

    /**
     * @param expiryMillis supplies the time by which rows expire, in epoch milliseconds, used if it
     *     is before the time of the LSN
     * @param tables the tables whose history it retains; empty: all tables
     */
    LeasedSnapshot(String id, Lsn lsn, LongSupplier expiryMillis, Set<TableId> tables) {
        this.tables = Set.copyOf(tables);
        this.id = requireNonNull(id, "id is null");
        this.lsn = requireNonNull(lsn, "lsn is null");
        this.expiryMillis = requireNonNull(expiryMillis, "expiryMillis is null");
    }

    public String id() {
        return id;
    }

    public Lsn lsn() {
        return lsn;
    }

    /** The tables that may be read at it, since it retains their history; empty: all. */
    public Set<TableId> tables() {
        return tables;
    }

    public TableView view(TableId table, ShardId shard, Supplier<TableView> current) {
        return views.computeIfAbsent(new Part(table, shard), part -> current.get());
    }

    /**
     * The LSN below which rows of the table have expired here, fixed at its first use, as views
     * are.
     */
    public long firstVisibleLsn(TableSchema table) {
        if (!table.options().expires()) {
            return 0;
        }
        return firstVisible.computeIfAbsent(
                table.id(),
                id ->
                        table.options()
                                .firstVisibleLsn(
                                        lsn.value(),
                                        SnapshotRegistry.lastLsnOf(expiryMillis.getAsLong())));
    }

    @Override
    public String toString() {
        return "LeasedSnapshot[" + id + " at " + lsn + "]";
    }

    private record Part(TableId table, ShardId shard) {}
}
