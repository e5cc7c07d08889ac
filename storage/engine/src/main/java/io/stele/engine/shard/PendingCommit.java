package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.TransactionRecords.Commit;
import io.stele.protocol.Lsn;
import java.util.function.Consumer;

/**
 * A shard's part of a transaction that is being logged: the values that applying its record needs.
 *
 * @param onDurable takes the commit LSN before the record is applied
 */
record PendingCommit(Commit commit, WriteTicket ticket, Consumer<Lsn> onDurable) {
    PendingCommit {
        requireNonNull(commit, "commit is null");
        requireNonNull(ticket, "ticket is null");
        requireNonNull(onDurable, "onDurable is null");
    }
}
