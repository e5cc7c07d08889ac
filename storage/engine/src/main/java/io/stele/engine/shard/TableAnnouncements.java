package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.TableVersions;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.TableId;

/**
 * The receiver, in a shard, of the catalog's changes to tables: a new table, changed columns, a
 * dropped or replaced table. Any thread; changed columns take effect on the shard's context.
 */
final class TableAnnouncements {
    private final ShardState state;
    private final ShardTables tables;
    private final UniqueIndexChecks checks;
    private final WriteResolver resolver;
    private final ApplyQueue queue;
    private final TableFiles files;
    private final Object announcing = new Object(); // locked by DDL and writers

    TableAnnouncements(
            ShardState state,
            UniqueIndexChecks checks,
            WriteResolver resolver,
            ApplyQueue queue,
            TableFiles files) {
        this.state = requireNonNull(state, "state is null");
        this.tables = state.tables();
        this.checks = requireNonNull(checks, "checks is null");
        this.resolver = requireNonNull(resolver, "resolver is null");
        this.queue = requireNonNull(queue, "queue is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * Adds a table, or the catalog's changes to it; any thread, one at a time. Changed columns take
     * effect in a task that this call queues on the context, before any task queued later.
     */
    void put(TableVersions newest) {
        if (tables.isSetAside(newest.schema().id())) {
            return; // the next start begins with what the catalog has then
        }
        TableShard added =
                new TableShard(state.id(), newest, files.rowCache(), files.parallelReads());
        TableShard known = tables.addIfAbsent(added);
        if (known == null || tables.isSetAside(newest.schema().id())) {
            return;
        }
        synchronized (announcing) {
            announce(known, newest);
        }
    }

    /**
     * Allows reads of a table by the columns that it is about to get; {@link #put} follows. Any
     * thread, one at a time.
     */
    void expect(TableVersions newest) {
        tables.find(newest.schema().id()).ifPresent(table -> table.expect(newest));
    }

    /**
     * The schema version that written rows must have. A writer that has the expected version before
     * {@link #put} is called announces it, so it is not refused. Any thread.
     *
     * @param known the version that the writer has
     */
    TableVersions announced(TableShard table, int known) {
        if (known > table.announced().schemaVersion()
                && known == table.expected().schemaVersion()) {
            synchronized (announcing) {
                TableVersions expected = table.expected();
                // A later version is not the writer's, and nobody can see it yet
                if (expected.schemaVersion() == known
                        && known > table.announced().schemaVersion()) {
                    announce(table, expected);
                }
            }
        }
        return table.announced();
    }

    @GuardedBy("announcing")
    private void announce(TableShard table, TableVersions newest) {
        boolean altered = newest.schemaVersion() != table.announced().schemaVersion();
        if (altered) {
            // Before it is announced: records of batches that have the new columns come after this.
            state.context().execute(() -> alter(table, newest));
        }
        table.announce(newest);
    }

    private void alter(TableShard table, TableVersions changed) {
        if (state.isFailed()) {
            return; // memory does not match the log; a restart begins with the new columns
        }
        TableVersions announced = table.announced(); // perhaps under a newer name
        boolean isNewest = announced.schemaVersion() >= changed.schemaVersion();
        table.alter(isNewest ? announced : changed, state.applied().applied().value());
        resolver.altered();
        queue.runAfterApply();
    }

    /** Drops the state of a dropped table; any thread. The maintenance handles its files. */
    void remove(TableId tableId) {
        tables.remove(tableId)
                .ifPresent(
                        removed -> {
                            removed.drop();
                            state.context().execute(() -> checks.forget(tableId));
                        });
    }

    /** Refuses later writes of a table; its rows can still be read. Any thread. */
    void replace(TableId tableId) {
        tables.find(tableId).ifPresent(TableShard::replace);
    }
}
