package io.stele.engine.shard.record;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.RecordType;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/**
 * A filter of the log records that are copied to the object store before the log is trimmed. No
 * flush puts them into files, and a later start needs them: those of tables that are set aside, or
 * all of a shard that stopped. Immutable.
 *
 * @param firstLsn of the first
 * @param lastLsn of the last
 * @param tables whose batches are needed; empty: of all
 */
public record RetainedRecords(long firstLsn, long lastLsn, Optional<Set<TableId>> tables) {
    public RetainedRecords {
        requireNonNull(tables, "tables is null");
    }

    /** Whether a segment may have some, whose records of the shard go from one LSN to another. */
    public boolean mayBeIn(Lsn from, Lsn to) {
        return to.value() >= firstLsn && from.value() <= lastLsn;
    }

    /** Whether a record is one of these; records of transactions always are, for all tables. */
    public boolean has(Lsn lsn, RecordType type, ByteBuffer payload) {
        if (lsn.value() < firstLsn || lsn.value() > lastLsn) {
            return false;
        }
        return type != RecordType.WRITE || tables.isEmpty() || isOfTables(payload);
    }

    /**
     * The tables that a record changes; none where it is about others.
     *
     * @throws SteleException CORRUPT_DATA if that cannot be read
     */
    public static Set<TableId> tablesOf(Lsn lsn, RecordType type, ByteBuffer payload) {
        return switch (type) {
            case WRITE -> Set.of(WriteRecord.decode(payload).batch().tableId());
            case PREPARE ->
                    PreparedPart.of(TransactionRecords.decodePrepare(payload), lsn).tables();
            case COMMIT -> TransactionRecords.decodeCommit(payload).part(lsn).tables();
            case OUTCOME, REFUSED, VOID -> Set.of();
        };
    }

    private boolean isOfTables(ByteBuffer payload) {
        try {
            return tables.orElseThrow().contains(WriteRecord.decode(payload).batch().tableId());
        } catch (SteleException unreadable) {
            return true; // its table cannot be determined
        }
    }
}
