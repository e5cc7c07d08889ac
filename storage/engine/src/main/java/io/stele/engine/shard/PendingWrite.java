package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.write.WriteOutcome;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A batch of plain operations that is being logged: the values that applying its record needs, and
 * its waiting client.
 *
 * @param skipped operations of the batch as it was sent that are not in it
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
