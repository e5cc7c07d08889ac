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
 * flush puts them into files, and a later start needs them. They are the records of tables that are
 * set aside, or all records of a shard that stopped. Immutable.
 *
 * @param firstLsn the LSN of the first record, inclusive
 * @param lastLsn the LSN of the last record, inclusive
 * @param tables the tables whose batches are needed; empty: all tables
 */
public record RetainedRecords(long firstLsn, long lastLsn, Optional<Set<TableId>> tables) {
    public RetainedRecords {
        requireNonNull(tables, "tables is null");
    }

    /**
     * Whether a segment may contain such records, given the LSNs of the shard's first and last
     * record in it.
     */
    public boolean mayBeIn(Lsn from, Lsn to) {
        return to.value() >= firstLsn && from.value() <= lastLsn;
    }

    /** Whether a record is retained; in the LSN range all but WRITE records are, for all tables. */
    public boolean has(Lsn lsn, RecordType type, ByteBuffer payload) {
        if (lsn.value() < firstLsn || lsn.value() > lastLsn) {
            return false;
        }
        return type != RecordType.WRITE || tables.isEmpty() || isOfTables(payload);
    }

    /**
     * The tables that a record changes; none for types that name no table.
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
