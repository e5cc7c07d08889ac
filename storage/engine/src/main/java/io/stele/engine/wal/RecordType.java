package io.stele.engine.wal;

import java.util.Optional;

/**
 * The types of log records, by content. The log itself interprets only {@link #VOID}. The ids are
 * on disk and never change meaning.
 */
public enum RecordType {
    /** A batch of row changes in one shard. */
    WRITE(1),
    /** A shard's part of a transaction, to be applied if the transaction commits. */
    PREPARE(2),
    /** Whether a transaction has committed; its LSN is the commit LSN. */
    OUTCOME(3),
    /** No change: a hold assigned this LSN and was released without a record in this shard. */
    VOID(4),
    /**
     * A batch of row changes that was refused because of the present rows: no change, but its
     * writer's answer.
     */
    REFUSED(5),
    /**
     * A shard's part of a transaction that is committed by this record and the records of its other
     * shards, which are in the same group and have the same LSN.
     */
    COMMIT(6);

    private static final RecordType[] BY_ID = {
        null, WRITE, PREPARE, OUTCOME, VOID, REFUSED, COMMIT
    };

    private final byte id;

    RecordType(int id) {
        this.id = (byte) id;
    }

    /** The byte on disk. */
    public byte id() {
        return id;
    }

    /** The type with this id, if this version has it. */
    public static Optional<RecordType> find(byte id) {
        return id > 0 && id < BY_ID.length ? Optional.of(BY_ID[id]) : Optional.empty();
    }
}
