package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.write.WriteOutcome;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The attachment of a WRITE record that is being logged: the values that applying the record needs,
 * and its waiting client.
 *
 * @param skipped the number of operations in the sent batch that had no effect and are not in
 *     {@code batch}
 */
record PendingWrite(
        UUID writerId,
        long sequence,
        long firstRowId,
        int skipped,
        WriteBatchReader batch,
        WriteTicket ticket,
        CompletableFuture<WriteOutcome> acknowledgement) {
    PendingWrite {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(batch, "batch is null");
        requireNonNull(ticket, "ticket is null");
        requireNonNull(acknowledgement, "acknowledgement is null");
    }
}
