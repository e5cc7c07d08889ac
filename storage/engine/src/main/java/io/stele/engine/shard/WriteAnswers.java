package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.wal.DurableRecord;
import io.stele.protocol.SteleException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The sender of acknowledgements and failures to waiting clients, after the log records of their
 * writes are applied or have failed. Confined to the shard's context.
 */
final class WriteAnswers {
    private final ShardTables tables;
    private final WriteResolver resolver;

    WriteAnswers(ShardTables tables, WriteResolver resolver) {
        this.tables = requireNonNull(tables, "tables is null");
        this.resolver = requireNonNull(resolver, "resolver is null");
    }

    /**
     * A write of a table that was set aside meanwhile is durable, but cannot be read before the
     * table is repaired; so it is not acknowledged.
     *
     * @param done how many of the first records are applied
     * @param failure why the rest never will be applied
     */
    void send(List<DurableRecord> records, int done, Optional<SteleException> failure) {
        for (int i = 0; i < records.size(); i++) {
            send(records.get(i), i < done ? null : failure.orElseThrow());
        }
    }

    private void send(DurableRecord record, @Nullable SteleException broken) {
        switch (record.attachment()) {
            case PendingWrite write ->
                    send(
                            write.acknowledgement(),
                            write.ticket(),
                            broken != null
                                    ? broken
                                    : tables.refusal(write.batch().tableId()).orElse(null),
                            new WriteOutcome(record.lsn(), write.skipped()));
            case PendingRefusal refusal ->
                    send(
                            refusal.acknowledgement(),
                            refusal.ticket(),
                            broken != null ? broken : refusal.cause(),
                            new WriteOutcome(record.lsn(), 0));
            case PendingCommit pending -> resolver.applied(pending.ticket());
            case null, default -> {
                // No future waits here: transactions wait for the LSN.
            }
        }
    }

    private void send(
            CompletableFuture<WriteOutcome> acknowledgement,
            WriteTicket ticket,
            @Nullable SteleException failed,
            WriteOutcome outcome) {
        resolver.applied(ticket);
        if (failed != null) {
            acknowledgement.completeExceptionally(failed);
        } else {
            acknowledgement.complete(outcome);
        }
    }
}
