package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.NodeLog;

/**
 * What a shard has for the log of a transaction that commits in one phase. The shard counts on it:
 * it must be appended, or given back.
 */
public final class CommitVote {
    private final NodeLog.Entry record;
    private final WriteTicket ticket;

    CommitVote(NodeLog.Entry record, WriteTicket ticket) {
        this.record = requireNonNull(record, "record is null");
        this.ticket = requireNonNull(ticket, "ticket is null");
    }

    /** The shard's part of the transaction. */
    public NodeLog.Entry record() {
        return record;
    }

    WriteTicket ticket() {
        return ticket;
    }
}
