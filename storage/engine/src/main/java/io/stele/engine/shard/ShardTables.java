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

/** The tables that have rows in a shard, by id. Changed by DDL, read by any thread. */
final class ShardTables {
    private final ShardId shard;
    private final Map<TableId, TableShard> tables = new ConcurrentHashMap<>();
    private final Map<TableId, SetAsideTable> setAside = new ConcurrentHashMap<>(); // of no others
    private final Map<TableId, LsnRange> lost = new ConcurrentHashMap<>(); // not in the catalog
    private BiPredicate<TableId, Lsn> isLost = (table, lsn) -> false; // set before records come

    ShardTables(ShardId shard) {
        this.shard = requireNonNull(shard, "shard is null");
    }

    /** Those that serve. */
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

    /** A table that was set aside is dropped. */
    synchronized Optional<SetAsideTable> forget(TableId tableId) {
        return Optional.ofNullable(setAside.remove(tableId));
    }

    /** Why a table refuses, if it is set aside. */
    Optional<SteleException> refusal(TableId tableId) {
        return Optional.ofNullable(setAside.get(tableId)).map(SetAsideTable::refusal);
    }

    /** Fails where a table is set aside. */
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

    /** From the first to the last of some records. */
    record LsnRange(Lsn first, Lsn last) {
        LsnRange with(LsnRange other) {
            return new LsnRange(
                    first.compareTo(other.first) < 0 ? first : other.first,
                    last.compareTo(other.last) > 0 ? last : other.last);
        }
    }

    /**
     * The table, unless it is dropped (and cannot be read again), or has the LSN in its files
     * already (replay), or is set aside or lost, which notes that it needs the record. On the
     * context.
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
     * STALE_TABLE when the table is not, or no more, in this shard; CORRUPT_DATA when it is set
     * aside.
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

    /** STALE_TABLE when the table takes no writes here any more. */
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
     * Why a batch that was valid once is not any more; null: it still is, or will be when changed
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
