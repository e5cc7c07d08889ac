package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.BatchApplier.AheadWrite;
import io.stele.engine.shard.record.LoggedRecord;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.shard.record.RefusalRecord;
import io.stele.engine.shard.record.TransactionRecords;
import io.stele.engine.shard.record.TransactionRecords.Commit;
import io.stele.engine.shard.record.TransactionRecords.Outcome;
import io.stele.engine.shard.record.TransactionRecords.Prepare;
import io.stele.engine.shard.record.WriteRecord;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.shard.write.WriterWindows;
import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The replay of a shard's log records into memory at a start, one by one in log order. The rows in
 * files that successive records make obsolete are looked up together before. A transaction that
 * changes files, or must be evaluated against rows, begins a new group.
 *
 * <p>Invariant: the result does not depend on how records are grouped. One thread.
 */
final class RecordReplay {
    private final BatchApplier batches;
    private final ShardTransactions transactions;
    private final WriterWindows writers;

    RecordReplay(BatchApplier batches, ShardTransactions transactions, WriterWindows writers) {
        this.batches = requireNonNull(batches, "batches is null");
        this.transactions = requireNonNull(transactions, "transactions is null");
        this.writers = requireNonNull(writers, "writers is null");
    }

    /** The observer of a replay. */
    interface Progress {
        void applied(Lsn lsn);

        /**
         * A record cannot be decoded or applied: nothing behind it is applied.
         *
         * @param lsn of the record
         */
        void stopped(Lsn lsn, Exception broken);

        /** Whether the shard stopped, for this reason or another. */
        boolean isStopped();
    }

    /** A record of the log and its decoded content; null for a VOID record. */
    private record Decoded(LoggedRecord record, @Nullable Object what) {
        private Lsn lsn() {
            return record.lsn();
        }
    }

    /**
     * @throws IOException if the store does not answer
     */
    void run(List<LoggedRecord> records, Progress progress) throws IOException {
        List<Decoded> decoded = new ArrayList<>(records.size());
        Exception malformed = null;
        for (LoggedRecord record : records) {
            try {
                decoded.add(new Decoded(record, decode(record)));
            } catch (RuntimeException broken) {
                malformed = broken;
                break;
            }
        }
        apply(decoded, progress);
        if (malformed != null && !progress.isStopped()) {
            progress.stopped(records.get(decoded.size()).lsn(), malformed);
        }
    }

    private static @Nullable Object decode(LoggedRecord record) {
        return switch (record.type()) {
            case WRITE -> WriteRecord.decode(record.payload());
            case REFUSED -> RefusalRecord.decode(record.payload());
            case PREPARE -> TransactionRecords.decodePrepare(record.payload());
            case OUTCOME -> TransactionRecords.decodeOutcome(record.payload());
            case COMMIT -> TransactionRecords.decodeCommit(record.payload());
            case VOID -> null; // Only its LSN counts.
        };
    }

    private void apply(List<Decoded> records, Progress progress) throws IOException {
        int ahead = 0;
        try {
            for (int done = 0; done < records.size() && !progress.isStopped(); done++) {
                Lsn lsn = records.get(done).lsn();
                try {
                    if (done == ahead) {
                        batches.endAhead();
                        ahead += lookAhead(records.subList(done, records.size()));
                    }
                    apply(records.get(done));
                } catch (IOException | RuntimeException | Error thrown) {
                    Exception broken = StoreWait.damage(thrown);
                    progress.stopped(lsn, broken);
                    return;
                }
                progress.applied(lsn);
            }
        } finally {
            batches.endAhead();
        }
    }

    /**
     * @return the number of the first records that were prepared, at least one
     */
    private int lookAhead(List<Decoded> records) throws IOException {
        Map<String, Optional<PreparedPart>> parts = new HashMap<>(); // as of the record at count
        List<AheadWrite> writes = new ArrayList<>();
        int operations = 0;
        int count = 0;
        for (; count < records.size() && operations < BatchApplier.MAX_AHEAD; count++) {
            Decoded record = records.get(count);
            Optional<List<WriteBatchReader>> found;
            try {
                found = batches(record, parts);
            } catch (RuntimeException malformed) {
                break; // the shard stops at this record, once the records before it are applied
            }
            if (found.isEmpty()) {
                break;
            }
            for (WriteBatchReader batch : found.get()) {
                writes.add(new AheadWrite(batch, record.lsn()));
                operations += batch.operationCount();
            }
        }
        // A table that is set aside also needs the PREPARE records among these
        batches.lookAhead(writes, records.getFirst().lsn());
        return Math.max(1, count);
    }

    /**
     * The batches that a record writes; empty if that depends on earlier records that are not
     * applied yet.
     */
    private Optional<List<WriteBatchReader>> batches(
            Decoded record, Map<String, Optional<PreparedPart>> parts) {
        switch (record.what()) {
            case WriteRecord write -> {
                return Optional.of(List.of(write.batch()));
            }
            case Prepare prepare -> {
                parts.compute(
                        prepare.transactionId(),
                        (id, known) ->
                                ShardTransactions.with(
                                        known == null ? transactions.prepared(id) : known,
                                        prepare,
                                        record.lsn()));
                return Optional.of(List.of());
            }
            case Commit commit -> {
                return Optional.of(commit.batches());
            }
            case Outcome outcome -> {
                Optional<PreparedPart> part = parts.get(outcome.transactionId());
                parts.put(outcome.transactionId(), Optional.empty());
                return transactions.plainBatches(
                        part == null ? transactions.prepared(outcome.transactionId()) : part,
                        outcome,
                        record.lsn());
            }
            case null, default -> {
                return Optional.of(List.of());
            }
        }
    }

    private void apply(Decoded record) throws IOException {
        Lsn lsn = record.lsn();
        switch (record.what()) {
            case WriteRecord write -> {
                batches.apply(write.batch(), lsn, write.firstRowId(), lsn);
                writers.applied(
                        write.writerId(), write.sequence(), new WriteOutcome(lsn, write.skipped()));
            }
            case RefusalRecord refusal ->
                    writers.refusedAt(
                            refusal.writerId(), refusal.sequence(), lsn, refusal.toException());
            case Prepare prepare -> transactions.apply(prepare, lsn);
            case Commit commit -> transactions.apply(commit, lsn);
            case Outcome outcome -> transactions.apply(outcome, lsn);
            case null, default -> {
                // Only its LSN counts.
            }
        }
    }
}
