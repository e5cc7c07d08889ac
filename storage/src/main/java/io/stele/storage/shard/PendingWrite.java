package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A validated batch on its way through the log: what the application of its record needs, and who
 * waits for it.
 */
record PendingWrite(
        UUID writerId,
        long sequence,
        long firstRowId,
        WriteBatchReader batch,
        CompletableFuture<Lsn> acknowledgement) {
    PendingWrite {
        requireNonNull(writerId, "writerId is null");
        requireNonNull(batch, "batch is null");
        requireNonNull(acknowledgement, "acknowledgement is null");
    }
}
