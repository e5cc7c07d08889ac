package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.BatchApplier.AheadWrite;
import io.stele.engine.shard.record.RefusalRecord;
import io.stele.engine.shard.record.TransactionRecords.Outcome;
import io.stele.engine.shard.record.TransactionRecords.Prepare;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.shard.write.WriterWindows;
import io.stele.engine.wal.DurableRecord;
import io.stele.engine.wal.RecordType;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The applier of durable log records to a shard, as the writer of the log delivers them. Records
 * from before a start are applied by {@link RecordReplay}. Confined to the shard's context.
 */
final class RecordApplier {
    private final BatchApplier batches;
    private final ShardTransactions transactions;
    private final WriterWindows writers;

    RecordApplier(BatchApplier batches, ShardTransactions transactions, WriterWindows writers) {
        this.batches = requireNonNull(batches, "batches is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.writers = requireNonNull(writers, "writers is null");
    }

    /**
     * Prepares the application of the first of these successive records; call {@link #endAhead}
     * after they were applied.
     *
     * @return the number of the first records that it has prepared, at least one
     */
    int lookAhead(List<DurableRecord> records) throws IOException {
        List<AheadWrite> writes = new ArrayList<>();
        int count = 0;
        for (int operations = 0;
                count < records.size() && operations < BatchApplier.MAX_AHEAD;
                count++) {
            DurableRecord record = records.get(count);
            if (record.type() == RecordType.PREPARE || record.type() == RecordType.OUTCOME) {
                break; // may change files
            }
            if (record.attachment() instanceof PendingWrite write) {
                writes.add(new AheadWrite(write.batch(), record.lsn()));
                operations += write.batch().operationCount();
            } else if (record.attachment() instanceof PendingCommit pending) {
                for (WriteBatchReader batch : pending.commit().batches()) {
                    writes.add(new AheadWrite(batch, record.lsn()));
                    operations += batch.operationCount();
                }
            }
        }
        if (!writes.isEmpty()) {
            batches.lookAhead(writes, writes.getFirst().lsn());
        }
        return Math.max(1, count);
    }

    /** Ends a {@link #lookAhead}, after its records were applied or failed. */
    void endAhead() {
        batches.endAhead();
    }

    /** Applies a record that was just logged. */
    void apply(DurableRecord record) throws IOException {
        switch (record.type()) {
            case WRITE -> {
                PendingWrite write = (PendingWrite) requireNonNull(record.attachment());
                batches.apply(write.batch(), record.lsn(), write.firstRowId(), record.lsn());
                note(record);
            }
            case REFUSED, VOID -> note(record);
            case PREPARE ->
                    transactions.apply((Prepare) requireNonNull(record.attachment()), record.lsn());
            case COMMIT ->
                    transactions.apply(
                            ((PendingCommit) requireNonNull(record.attachment())).commit(),
                            record.lsn());
            case OUTCOME -> {
                if (record.attachment() instanceof Outcome outcome) {
                    transactions.apply(outcome, record.lsn());
                } // else it was resolved at recovery, and is applied already
            }
        }
    }

    /** Remembers the outcome of a record whose rows, if it has any, are applied. */
    void note(DurableRecord record) {
        switch (record.attachment()) {
            case PendingWrite write ->
                    writers.applied(
                            write.writerId(),
                            write.sequence(),
                            new WriteOutcome(record.lsn(), write.skipped()));
            case PendingRefusal refusal -> refused(refusal.record(), record.lsn(), refusal.cause());
            case null, default -> {
                // Only its LSN counts.
            }
        }
    }

    private void refused(RefusalRecord refusal, Lsn lsn, SteleException cause) {
        writers.refusedAt(refusal.writerId(), refusal.sequence(), lsn, cause);
    }
}
