package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.wal.NodeLog;

/**
 * A shard's vote to commit a transaction in one phase: the log record of its part, and the ticket
 * of its noted changes. The caller must append the record, or give the vote back.
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
