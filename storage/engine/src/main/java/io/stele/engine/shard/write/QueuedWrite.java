package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.tablet.TableShard;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A validated write batch on its way to the log, with its writer, its waiting client and its
 * lookups in files. The lookups are confined to the shard's context.
 */
public final class QueuedWrite {
    private final UUID writerId;
    private final long sequence;
    private final TableShard table;
    private final WriteBatchReader batch;
    private final BatchValidator.Summary summary;
    private final CompletableFuture<WriteOutcome> acknowledgement;
    private @Nullable BatchProbes probes;
    private boolean asking;

    public QueuedWrite(
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

    public UUID writerId() {
        return writerId;
    }

    public long sequence() {
        return sequence;
    }

    public TableShard table() {
        return table;
    }

    public WriteBatchReader batch() {
        return batch;
    }

    public int appended() {
        return summary.appended();
    }

    public boolean isConditional() {
        return summary.conditional();
    }

    public CompletableFuture<WriteOutcome> acknowledgement() {
        return acknowledgement;
    }

    @Nullable
    public BatchProbes probes() {
        return probes;
    }

    public void setProbes(BatchProbes newProbes) {
        probes = newProbes;
    }

    /** Whether lookups of this batch are in progress. */
    public boolean isAsking() {
        return asking;
    }

    public void setAsking(boolean newAsking) {
        asking = newAsking;
    }
}
