package io.stele.paimon.procedure;

import static java.util.Objects.requireNonNull;

import io.trino.spi.connector.SchemaTableName;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * The procedures {@code rollback_to} and {@code expire_snapshots}, which delete a table's snapshots
 * through Paimon's library on the coordinator. Thread-safe.
 */
public final class SnapshotProcedures {
    private final ProcedureCalls calls;

    SnapshotProcedures(ProcedureCalls calls) {
        this.calls = requireNonNull(calls, "calls is null");
    }

    /** Rolls a table back to a snapshot or a tag, of which one must be null. */
    public void rollback(
            String schema, String table, @Nullable Long snapshotId, @Nullable String tag) {
        calls.run(
                "rollback_to",
                schema,
                table,
                (name, found) -> {
                    if ((snapshotId == null) == (tag == null)) {
                        throw ProcedureCalls.bad(
                                "Expected either snapshot_id or tag_name, found %s and %s",
                                snapshotId, tag);
                    }
                    if (snapshotId != null) {
                        checkExists(name, found, snapshotId);
                        found.rollbackTo(snapshotId);
                    } else {
                        checkTag(name, found, requireNonNull(tag));
                        found.rollbackTo(tag);
                    }
                    calls.changed(name, found);
                });
    }

    /** Expires old snapshots; for arguments that are null, the table's options hold. */
    public void expire(
            String schema,
            String table,
            @Nullable Long retainMax,
            @Nullable Long retainMin,
            @Nullable String retentionThreshold) {
        calls.run(
                "expire_snapshots",
                schema,
                table,
                (name, found) -> {
                    ExpireConfig defaults = found.coreOptions().expireConfig();
                    ExpireConfig.Builder config = ExpireConfig.builder();
                    int max = count("retain_max", retainMax, defaults.getSnapshotRetainMax());
                    int min =
                            count(
                                    "retain_min",
                                    retainMin,
                                    Math.min(max, defaults.getSnapshotRetainMin()));
                    if (min > max) {
                        throw ProcedureCalls.bad(
                                "Expected retain_min up to retain_max, found %s and %s", min, max);
                    }
                    config.snapshotRetainMax(max).snapshotRetainMin(min);
                    config.snapshotMaxDeletes(Integer.MAX_VALUE);
                    config.snapshotTimeRetain(
                            ProcedureCalls.age(retentionThreshold)
                                    .orElse(defaults.getSnapshotTimeRetain()));
                    found.newExpireSnapshots().config(config.build()).expire();
                    calls.changed(name, found);
                });
    }

    private static int count(String argument, @Nullable Long value, int otherwise) {
        if (value == null) {
            return otherwise;
        }
        if (value < 1 || value > Integer.MAX_VALUE) {
            throw ProcedureCalls.bad("Expected %s of 1 or more, found %s", argument, value);
        }
        return Math.toIntExact(value);
    }

    static void checkExists(SchemaTableName name, FileStoreTable table, long snapshotId) {
        if (!table.snapshotManager().snapshotExists(snapshotId)) {
            throw ProcedureCalls.bad(
                    "Expected a snapshot of %s from %s to %s, found %s",
                    name,
                    table.snapshotManager().earliestSnapshotId(),
                    table.snapshotManager().latestSnapshotId(),
                    snapshotId);
        }
    }

    static void checkTag(SchemaTableName name, FileStoreTable table, String tag) {
        if (!table.tagManager().tagExists(ProcedureCalls.name("tag", tag))) {
            throw ProcedureCalls.bad("Expected a tag of %s, found '%s'", name, tag);
        }
    }
}
