package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.TableShard;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A validated batch on its way to the log. Its probes are confined to the shard's context. */
final class QueuedWrite {
    private final UUID writerId;
    private final long sequence;
    private final TableShard table;
    private final WriteBatchReader batch;
    private final BatchValidator.Summary summary;
    private final CompletableFuture<WriteOutcome> acknowledgement;
    private @Nullable BatchProbes probes;
    private boolean asking;

    QueuedWrite(
            UUID writerId,
            long sequence,
            TableShard table,
            WriteBatchReader batch,
            BatchValidator.Summary summary,
            CompletableFuture<WriteOutcome> acknowledgement) {
        this.writerId = requireNonNull(writerId, "writerId is null");
        this.sequence = sequence;
        this.table = requireNonNull(table, "table is null");
        this.batch = requireNonNull(batch, "batch is null");
        this.summary = requireNonNull(summary, "summary is null");
        this.acknowledgement = requireNonNull(acknowledgement, "acknowledgement is null");
    }

    UUID writerId() {
        return writerId;
    }

    long sequence() {
        return sequence;
    }

    TableShard table() {
        return table;
    }

    WriteBatchReader batch() {
        return batch;
    }

    int appended() {
        return summary.appended();
    }

    boolean isConditional() {
        return summary.conditional();
    }

    CompletableFuture<WriteOutcome> acknowledgement() {
        return acknowledgement;
    }

    @Nullable BatchProbes probes() {
        return probes;
    }

    void setProbes(BatchProbes newProbes) {
        probes = newProbes;
    }

    /** Whether a question of this batch is on its way. */
    boolean isAsking() {
        return asking;
    }

    void setAsking(boolean newAsking) {
        asking = newAsking;
    }
}
