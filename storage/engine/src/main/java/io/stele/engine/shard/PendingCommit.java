package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.TransactionRecords.Commit;
import io.stele.protocol.Lsn;
import java.util.function.Consumer;

/**
 * The attachment of a COMMIT record that is being logged: the values that applying the record
 * needs.
 *
 * @param onDurable receives the commit LSN before the record is applied
 */
record PendingCommit(Commit commit, WriteTicket ticket, Consumer<Lsn> onDurable) {
    PendingCommit {
        requireNonNull(commit, "commit is null");
        requireNonNull(ticket, "ticket is null");
        requireNonNull(onDurable, "onDurable is null");
    }
}
