package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.RefusalRecord;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.protocol.SteleException;
import java.util.concurrent.CompletableFuture;

/**
 * The attachment of a REFUSED record that is being logged: the refused write and its waiting
 * client.
 */
record PendingRefusal(
        RefusalRecord record,
        SteleException cause,
        WriteTicket ticket,
        CompletableFuture<WriteOutcome> acknowledgement) {
    PendingRefusal {
        requireNonNull(record, "record is null");
        requireNonNull(cause, "cause is null");
        requireNonNull(ticket, "ticket is null");
        requireNonNull(acknowledgement, "acknowledgement is null");
    }
}
