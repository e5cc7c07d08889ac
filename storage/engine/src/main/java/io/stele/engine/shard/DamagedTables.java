package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.TableShard;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.util.List;

/**
 * The operation that sets aside a shard's tables whose stored data cannot be used, so that the
 * shard can serve without them. Called on the shard's context while the apply workers are idle, or
 * before the shard serves.
 */
final class DamagedTables {
    private final ShardState state;
    private final PreparedTransactions prepared;
    private final UniqueIndexChecks checks;

    DamagedTables(ShardState state, PreparedTransactions prepared, UniqueIndexChecks checks) {
        this.state = requireNonNull(state, "state is null");
        this.prepared = requireNonNull(prepared, "prepared is null");
        this.checks = requireNonNull(checks, "checks is null");
    }

    /**
     * Sets a table aside: it is neither read nor written until the next start. Its memory is freed,
     * and its log records are retained.
     *
     * @param found the damage of the table
     * @param needed the LSN of the first record that it needs, if its memory does not determine it
     */
    void setAside(TableShard table, List<Damage> found, Lsn needed) {
        TableId tableId = table.schema().id();
        // An undecided transaction may change this table
        long first = Math.min(prepared.minLogLsn(), Math.min(needed.value(), table.minLogLsn()));
        long last = Math.max(needed.value(), table.changedLsn());
        state.tables().setAside(new SetAsideTable(table, found, first, last));
        table.drop();
        table.releaseMemory();
        checks.forget(tableId);
    }

    /**
     * Sets a table aside for one object that could not be used when a record was to be applied.
     *
     * @param object the name of the object, unless the cause names a file of the table
     */
    void setAside(TableShard table, String object, Exception cause, Lsn needed) {
        Damage found =
                Damage.of(
                        state.id(),
                        table.schema().id(),
                        FailedFile.find(table, cause).orElse(object),
                        cause,
                        state.nowMillis());
        setAside(table, List.of(found), needed);
    }

    /**
     * Sets a table aside where only the record names what cannot be used.
     *
     * @param record the LSN of the record that could not be applied; its name is reported unless
     *     the cause names a file of the table
     * @param needed the LSN of the first record that the table needs
     */
    void setAside(TableShard table, Lsn record, Exception cause, Lsn needed) {
        setAside(table, state.recordName(record), cause, needed);
    }
}
