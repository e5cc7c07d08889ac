package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.engine.StorageEngine;
import io.stele.engine.node.WriteRoom;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.sidecar.postgresql.run.KeyList.Key;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's transaction on rows, which reads one snapshot and its own changes, and keeps the
 * changes in memory until its commit writes them, in all shards or none. The commit fails if
 * another transaction has changed one of its rows since the snapshot: this is snapshot isolation
 * (Berenson et al., "A Critique of ANSI SQL Isolation Levels", SIGMOD 1995, section 4.2).
 *
 * <p>Confined to one thread at a time. The bytes of changes are taken from the budget of writes.
 */
public final class RowTransaction implements AutoCloseable {
    private static final Duration COMMIT_LEASE = Duration.ofMinutes(2);
    private static final int BATCH_BYTES = 4 << 20;
    private static final int OVERHEAD_BYTES = 64; // of an entry of a map

    private final StorageEngine engine;
    private final LeasedSnapshot snapshot;
    private final WriteRoom room;
    private final LongSupplier nanoTime;
    private final Map<TableId, TableChanges> tables = new LinkedHashMap<>();
    private final ArrayDeque<Undo> undo = new ArrayDeque<>(); // newest first
    private boolean keepsUndo;
    private long changeCount;

    /**
     * What takes one change back.
     *
     * @param key of the row; null: the last one of those without a primary key
     * @param before what the transaction had at the key; null: nothing
     * @param bytes of the budget that the change took
     */
    private record Undo(
            TableChanges changes,
            @Nullable Key key,
            @Nullable Optional<byte[]> before,
            long bytes) {}

    /** The changes of one table. */
    private static final class TableChanges {
        private final RowBuilder rows;
        private final Map<Key, Optional<byte[]>> byKey = new LinkedHashMap<>();
        private final List<byte[]> appended = new ArrayList<>();

        private TableChanges(TableSchema schema) {
            this.rows = new RowBuilder(schema);
        }

        private boolean hasAny() {
            return !byKey.isEmpty() || !appended.isEmpty();
        }

        private void undo(Undo change) {
            Key key = change.key();
            if (key == null) {
                appended.removeLast();
            } else if (change.before() == null) {
                byKey.remove(key);
            } else {
                byKey.put(key, change.before());
            }
        }
    }

    private RowTransaction(
            StorageEngine engine, LeasedSnapshot snapshot, WriteRoom room, LongSupplier nanoTime) {
        this.engine = requireNonNull(engine, "engine is null");
        this.snapshot = requireNonNull(snapshot, "snapshot is null");
        this.room = requireNonNull(room, "room is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
    }

    static RowTransaction begin(StorageEngine engine, Client client, LongSupplier nanoTime) {
        LeasedSnapshot snapshot = Snapshots.open(engine, client);
        return new RowTransaction(engine, snapshot, engine.writeRoom(), nanoTime);
    }

    LeasedSnapshot snapshot() {
        return snapshot;
    }

    /** Renews the snapshot's lease, because another statement begins. */
    public void renew() {
        engine.renewSnapshot(snapshot.id(), Snapshots.LEASE);
    }

    /**
     * Checks that nothing was changed, because Trino reads at another snapshot.
     *
     * @throws PostgresException ACTIVE_TRANSACTION if it has changed something, which a statement
     *     that Trino runs would miss
     */
    public void requireNoChanges() {
        if (tables.values().stream().anyMatch(TableChanges::hasAny)) {
            throw new PostgresException(
                    SqlState.ACTIVE_TRANSACTION,
                    "Expected statements by key alone once a transaction has changed rows, found"
                            + " one that Trino runs, which does not see the changes");
        }
    }

    /** The changes of a table so far. */
    OwnChanges changes(TableSchema table) {
        TableChanges changes = find(table);
        return changes == null ? OwnChanges.NONE : new OwnChanges(changes.byKey, changes.appended);
    }

    /** The changes of some keys of a table so far. */
    OwnChanges changes(TableSchema table, List<byte[]> keys) {
        TableChanges changes = find(table);
        if (changes == null) {
            return OwnChanges.NONE;
        }
        Map<Key, Optional<byte[]>> found = new HashMap<>();
        for (byte[] bytes : keys) {
            Key key = new Key(bytes);
            Optional<byte[]> row = changes.byKey.get(key);
            if (row != null) {
                found.put(key, row);
            }
        }
        return new OwnChanges(found, List.of());
    }

    private @Nullable TableChanges find(TableSchema table) {
        TableChanges changes = tables.get(table.id());
        if (changes != null) {
            checkSame(changes, table);
        }
        return changes;
    }

    private static void checkSame(TableChanges changes, TableSchema table) {
        if (!KeyList.isSame(changes.rows.table(), table)) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_CONFLICT,
                    "Expected the columns of %s to stay while a transaction writes it, found them changed"
                            .formatted(table.qualifiedName()));
        }
    }

    void put(TableSchema table, byte[] key, byte[] row) {
        change(table, new Key(key), Optional.of(row), key.length + row.length);
    }

    void delete(TableSchema table, byte[] key) {
        change(table, new Key(key), Optional.empty(), key.length);
    }

    private void change(TableSchema table, Key key, Optional<byte[]> row, int bytes) {
        TableChanges changes = changed(table);
        long taken = take(bytes);
        Optional<byte[]> before = changes.byKey.put(key, row);
        changeCount++;
        if (keepsUndo) {
            undo.push(new Undo(changes, key, before, taken));
        }
    }

    void append(TableSchema table, byte[] row) {
        TableChanges changes = changed(table);
        long taken = take(row.length);
        changes.appended.add(row);
        changeCount++;
        if (keepsUndo) {
            undo.push(new Undo(changes, null, null, taken));
        }
    }

    private TableChanges changed(TableSchema table) {
        TableChanges changes =
                tables.computeIfAbsent(table.id(), ignored -> new TableChanges(table));
        checkSame(changes, table);
        return changes;
    }

    private long take(int bytes) {
        long taken = (long) bytes + (keepsUndo ? 2 : 1) * OVERHEAD_BYTES;
        Optional<SteleException> busy = room.grow(taken, 0);
        if (busy.isPresent()) {
            throw busy.get();
        }
        return taken;
    }

    /** The number of changes so far, less those that were taken back. */
    public long changeCount() {
        return changeCount;
    }

    /** Changes from now on can be taken back. */
    public void keepUndo() {
        keepsUndo = true;
    }

    /** Earlier changes can no longer be rolled back. */
    public void forgetUndo() {
        keepsUndo = false;
        undo.clear();
    }

    /**
     * Takes changes back, the last one first.
     *
     * @param count the changes that stay: {@link #changeCount} when undo was kept already
     */
    public void undoTo(long count) {
        while (changeCount > count) {
            Undo last = undo.pop();
            last.changes().undo(last);
            room.shrink(last.bytes());
            changeCount--;
        }
    }

    /**
     * Writes all changes.
     *
     * @throws SteleException TRANSACTION_CONFLICT or another failure of a commit, if nothing is
     *     written; OUTCOME_UNKNOWN if that could not be found out in a minute
     */
    public void commit() {
        tables.values().removeIf(changes -> !changes.hasAny());
        if (tables.isEmpty()) {
            return;
        }
        String id =
                engine.beginSessionTransaction(
                        tables.keySet().iterator().next(),
                        Optional.of(snapshot.lsn()),
                        Optional.of(COMMIT_LEASE));
        boolean isStaged = false;
        try {
            tables.values().forEach(changes -> stage(id, changes));
            isStaged = true;
        } finally {
            if (!isStaged) {
                var unused = engine.abort(id);
            }
        }
        Commits.commit(engine, id, nanoTime);
    }

    private void stage(String id, TableChanges changes) {
        TableSchema table = changes.rows.table();
        Map<Integer, WriteBatchBuilder> batches = new TreeMap<>();
        changes.byKey.forEach(
                (key, row) -> {
                    int shard = changes.rows.shardOfKey(key.bytes());
                    WriteBatchBuilder batch = batch(batches, table, shard);
                    byte[] bytes = row.orElse(new byte[0]);
                    batch.add(
                            row.isPresent() ? OperationKind.UPSERT : OperationKind.DELETE,
                            key.bytes(),
                            0,
                            key.bytes().length,
                            bytes,
                            0,
                            bytes.length);
                    stageIfLarge(id, table, shard, batch);
                });
        BinaryRow view = new BinaryRow(changes.rows.layout());
        for (byte[] row : changes.appended) {
            int shard = changes.rows.shardOf(view.wrap(row));
            WriteBatchBuilder batch = batch(batches, table, shard);
            batch.append(row);
            stageIfLarge(id, table, shard, batch);
        }
        batches.forEach((shard, batch) -> stage(id, table, shard, batch));
    }

    private static WriteBatchBuilder batch(
            Map<Integer, WriteBatchBuilder> batches, TableSchema table, int shard) {
        return batches.computeIfAbsent(
                shard, ignored -> new WriteBatchBuilder(table.id(), table.schemaVersion()));
    }

    private void stageIfLarge(String id, TableSchema table, int shard, WriteBatchBuilder batch) {
        if (batch.sizeBytes() >= BATCH_BYTES) {
            stage(id, table, shard, batch);
            batch.reset(table.id(), table.schemaVersion());
        }
    }

    private void stage(String id, TableSchema table, int shard, WriteBatchBuilder batch) {
        if (batch.isEmpty()) {
            return;
        }
        ShardId of = table.shard(shard);
        engine.stage(id, Optional.empty(), of, batch.buffer(), 0, batch.sizeBytes(), room);
    }

    /** Discards changes that were not committed, and releases the snapshot. */
    @Override
    public void close() {
        tables.clear();
        undo.clear();
        room.close();
        engine.closeSnapshot(snapshot.id());
    }
}
