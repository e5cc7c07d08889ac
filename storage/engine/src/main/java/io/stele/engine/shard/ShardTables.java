package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The registry of a shard's tables by id: serving tables, damaged tables that are set aside, and
 * tables missing in the catalog. Thread-safe.
 */
final class ShardTables {
    private final ShardId shard;
    private final Map<TableId, TableShard> tables = new ConcurrentHashMap<>();
    private final Map<TableId, SetAsideTable> setAside = new ConcurrentHashMap<>(); // not in tables
    private final Map<TableId, LsnRange> lost = new ConcurrentHashMap<>(); // not in the catalog
    private BiPredicate<TableId, Lsn> isLost = (table, lsn) -> false; // set before records come

    ShardTables(ShardId shard) {
        this.shard = requireNonNull(shard, "shard is null");
    }

    /** The tables that serve. */
    Collection<TableShard> all() {
        return tables.values();
    }

    Collection<SetAsideTable> setAside() {
        return setAside.values();
    }

    boolean isSetAside(TableId tableId) {
        return setAside.containsKey(tableId);
    }

    /** Removes the table; requests for it fail with the reason from now on. */
    synchronized void setAside(SetAsideTable table) {
        TableId tableId = table.table().schema().id();
        setAside.putIfAbsent(tableId, table);
        tables.remove(tableId);
    }

    /** Removes a table that was set aside, since it is dropped. */
    synchronized Optional<SetAsideTable> forget(TableId tableId) {
        return Optional.ofNullable(setAside.remove(tableId));
    }

    /** The reason to refuse requests for a table, if it is set aside. */
    Optional<SteleException> refusal(TableId tableId) {
        return Optional.ofNullable(setAside.get(tableId)).map(SetAsideTable::refusal);
    }

    /** Throws when a table is set aside. */
    void checkNotSetAside(TableId tableId) {
        Optional<SteleException> refusal = refusal(tableId);
        if (refusal.isPresent()) {
            throw refusal.get();
        }
    }

    /** Adds a table, unless it is set aside; an existing one stays and is returned. */
    synchronized @Nullable TableShard addIfAbsent(TableShard table) {
        SetAsideTable aside = setAside.get(table.schema().id());
        return aside != null ? aside.table() : tables.putIfAbsent(table.schema().id(), table);
    }

    synchronized Optional<TableShard> remove(TableId tableId) {
        return Optional.ofNullable(tables.remove(tableId));
    }

    Optional<TableShard> find(TableId tableId) {
        return Optional.ofNullable(tables.get(tableId));
    }

    /**
     * Sets which records of tables missing in the catalog are retained, for a repair that restores
     * such a table.
     */
    void keepLost(BiPredicate<TableId, Lsn> newIsLost) {
        isLost = requireNonNull(newIsLost, "newIsLost is null");
    }

    /** Tables that the catalog does not have, with the LSN range of their records. */
    Map<TableId, LsnRange> lost() {
        return lost;
    }

    /** A record about a table is skipped; notes it if the table is lost. */
    void noteLost(TableId tableId, Lsn first, Lsn last) {
        if (isLost.test(tableId, last)) {
            lost.merge(tableId, new LsnRange(first, last), LsnRange::with);
        }
    }

    /** The LSNs of the first and the last of some records. */
    record LsnRange(Lsn first, Lsn last) {
        LsnRange with(LsnRange other) {
            return new LsnRange(
                    first.compareTo(other.first) < 0 ? first : other.first,
                    last.compareTo(other.last) > 0 ? last : other.last);
        }
    }

    /**
     * The table, if its memtables need the record at an LSN. Empty if it is dropped (and cannot be
     * read again), has the LSN in its files already (replay), or is set aside or lost; a table set
     * aside or lost notes that it needs the record. On the context.
     */
    Optional<TableShard> findUnflushed(TableId tableId, Lsn lsn) {
        SetAsideTable aside = setAside.get(tableId);
        if (aside != null) {
            aside.note(lsn);
            return Optional.empty();
        }
        Optional<TableShard> table = find(tableId);
        if (table.isEmpty()) {
            noteLost(tableId, lsn, lsn);
        }
        return table.filter(known -> known.flushedLsn() < lsn.value());
    }

    /**
     * A serving table. Throws STALE_TABLE when it is not, or no longer, in this shard; CORRUPT_DATA
     * when it is set aside.
     */
    TableShard get(TableId tableId) {
        TableShard table = tables.get(tableId);
        if (table == null) {
            SetAsideTable aside = setAside.get(tableId);
            if (aside != null) {
                throw aside.refusal();
            }
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected a table of shard "
                            + shard
                            + ", found table id "
                            + tableId
                            + ", which is dropped");
        }
        return table;
    }

    /**
     * A table that accepts writes. Throws as {@link #get}, and STALE_TABLE when it was replaced.
     */
    TableShard writable(TableId tableId) {
        TableShard table = get(tableId);
        if (table.isReplaced()) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected a table to write to, found table id %s of %s, which was truncated or replaced"
                            .formatted(tableId, table.schema().qualifiedName()));
        }
        return table;
    }

    /**
     * The reason why a validated batch is no longer valid; null: it is, or will be when changed
     * columns are in effect.
     */
    @Nullable SteleException staleness(TableShard table, WriteBatchReader batch) {
        if (tables.get(batch.tableId()) == table
                && !table.isReplaced()
                && table.schema().schemaVersion() <= batch.schemaVersion()) {
            return null;
        }
        SetAsideTable aside = setAside.get(batch.tableId());
        if (aside != null) {
            return aside.refusal();
        }
        return new SteleException(
                ErrorCode.STALE_TABLE,
                "Expected rows of the present version of table %s, found version %d; it was changed, replaced or dropped"
                        .formatted(table.schema().qualifiedName(), batch.schemaVersion()));
    }
}
