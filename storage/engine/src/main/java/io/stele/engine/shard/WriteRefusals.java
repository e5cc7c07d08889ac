package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.write.QueuedWrite;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.shard.write.WriterWindows;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The refusal of writes of which nothing is logged: it updates the writer's window, and fails the
 * client's future. Any thread.
 */
final class WriteRefusals {
    private final WriterWindows writers;

    WriteRefusals(WriterWindows writers) {
        this.writers = requireNonNull(writers, "writers is null");
    }

    /** Refuses an admitted write; it may come again under the same sequence. */
    void refuse(QueuedWrite write, Throwable cause) {
        if (cause instanceof SteleException known && known.code() == ErrorCode.BUSY) {
            writers.postponed(write.writerId(), write.sequence(), write.acknowledgement());
        } else {
            writers.refused(write.writerId(), write.sequence());
        }
        write.acknowledgement().completeExceptionally(cause);
    }

    /**
     * Refuses a write that was not admitted yet. A repeated write that was applied before is still
     * acknowledged, even if the table or the gate refuses new writes.
     */
    void refuseNew(
            UUID writerId,
            long sequence,
            CompletableFuture<WriteOutcome> acknowledgement,
            SteleException refused) {
        writers.find(writerId, sequence)
                .ifPresentOrElse(
                        earlier -> Futures.forward(earlier, acknowledgement),
                        () -> acknowledgement.completeExceptionally(refused));
    }
}
