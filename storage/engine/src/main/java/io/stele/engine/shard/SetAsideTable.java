package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.List;

/**
 * A table of a shard that is neither read nor written until the next start, because a stored part
 * of it cannot be used.
 *
 * <p>Invariant: records from {@link #firstLsn} to {@link #lastLsn} are not in files that the
 * manifest names, so they are retained for the next start. {@link #note} is for the shard's
 * context.
 */
final class SetAsideTable {
    private final TableShard table;
    private final List<Damage> damages;
    private final long firstLsn;
    private volatile long lastLsn;

    /**
     * @param firstLsn the LSN of the first record that is in no file
     */
    SetAsideTable(TableShard table, List<Damage> damages, long firstLsn, long lastLsn) {
        this.table = requireNonNull(table, "table is null");
        this.damages = List.copyOf(damages);
        this.firstLsn = firstLsn;
        this.lastLsn = lastLsn;
    }

    TableShard table() {
        return table;
    }

    List<Damage> damages() {
        return damages;
    }

    long firstLsn() {
        return firstLsn;
    }

    /** The LSN of the last record that the table would have applied. */
    long lastLsn() {
        return lastLsn;
    }

    /** Notes that a record of the table is skipped. */
    void note(Lsn lsn) {
        lastLsn = Math.max(lastLsn, lsn.value());
    }

    SteleException refusal() {
        Damage first = damages.getFirst();
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Table %s is set aside in shard %s, since %s cannot be used: %s; stele.system.damaged lists all of it, and the table serves again when that is repaired or dropped and the sidecar restarted"
                        .formatted(
                                table.schema().qualifiedName(),
                                table.shard(),
                                first.object(),
                                first.reason()));
    }
}
