package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.TableFiles;
import io.stele.engine.shard.record.PreparedPart;
import io.stele.engine.shard.record.TransactionRecords;
import io.stele.engine.shard.record.TransactionRecords.Commit;
import io.stele.engine.shard.write.KeySlice;
import io.stele.engine.shard.write.TableChanges;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.wal.NodeLog;
import io.stele.engine.wal.RecordType;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The votes of a shard on transactions that commit in one phase: conflict check, evaluation of
 * conditional operations, and the log record of its part. A part is checked and evaluated against
 * the changes in flight, memory and files, like a batch of conditional operations. Its record
 * follows the records of these changes, so it usually need not wait for their application.
 *
 * <p>Confined to the shard's context, except for {@link #vote} and {@link #giveBack}.
 */
final class OnePhaseCommits {
    private final ShardState state;
    private final ShardTables tables;
    private final DamagedTables damaged;
    private final WriteResolver resolver;
    private final TableFiles files;

    OnePhaseCommits(
            ShardState state, DamagedTables damaged, WriteResolver resolver, TableFiles files) {
        this.state = requireNonNull(state, "state is null");
        this.tables = state.tables();
        this.damaged = requireNonNull(damaged, "damaged is null");
        this.resolver = requireNonNull(resolver, "resolver is null");
        this.files = requireNonNull(files, "files is null");
    }

    /**
     * Completes on the context when the part can be committed; else it fails with the reason why
     * the transaction fails. No other write is evaluated in the shard until {@link
     * WriteResolver#resume}, which must follow in any case. Any thread.
     */
    CompletableFuture<CommitVote> vote(CommitPart part) {
        return resolver.inTurn(() -> workOut(part, part.prepared()));
    }

    /** Undoes a vote of a transaction that does not commit; before the turn ends, any thread. */
    void giveBack(CommitVote vote) {
        state.context().execute(() -> resolver.undo(vote.ticket()));
    }

    private Optional<CommitVote> workOut(CommitPart part, PreparedPart prepared)
            throws IOException {
        state.checkServing();
        prepared.tables().forEach(tables::checkNotSetAside);
        Map<TableShard, TableChanges> changes = new LinkedHashMap<>();
        for (TableId tableId : prepared.tables()) {
            Optional<TableShard> table = tables.find(tableId);
            if (table.isPresent() && table.get().schema().hasPrimaryKey()) {
                Optional<TableChanges> known = resolver.changes(table.get());
                if (known.isEmpty()) {
                    return Optional.empty();
                }
                changes.put(table.get(), known.get());
            }
        }
        if (part.readLsn().isPresent() && isInFlight(prepared, changes)) {
            return Optional.empty(); // whether that is a conflict depends on an unknown LSN
        }
        Optional<String> conflict = new ConflictCheck(files).find(prepared, state);
        if (conflict.isPresent()) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_CONFLICT,
                    "Transaction %s conflicts: %s".formatted(part.transactionId(), conflict.get()));
        }
        return Optional.of(vote(part, resolved(part, prepared, changes), changes));
    }

    private boolean isInFlight(PreparedPart part, Map<TableShard, TableChanges> changes) {
        for (WriteBatchReader batch : part.batches()) {
            Optional<TableChanges> known = tables.find(batch.tableId()).map(changes::get);
            batch.rewind();
            boolean isInFlight = false;
            while (!isInFlight && batch.next()) {
                isInFlight =
                        known.isPresent() ? isInFlight(batch, known.get()) : mayBeInFlight(batch);
            }
            batch.rewind();
            if (isInFlight) {
                return true;
            }
        }
        return false;
    }

    private static boolean isInFlight(WriteBatchReader operation, TableChanges known) {
        return known.isInFlight(
                new KeySlice(operation.buffer(), operation.keyOffset(), operation.keyLength()));
    }

    /**
     * Whether a deleted row of a table without a primary key may be in flight: its keys are not
     * noted.
     */
    private boolean mayBeInFlight(WriteBatchReader operation) {
        return operation.kind() != OperationKind.APPEND && resolver.hasInFlight();
    }

    /** The part with plain batches only; its changes are staged in {@code changes}. */
    private PreparedPart resolved(
            CommitPart part, PreparedPart prepared, Map<TableShard, TableChanges> changes)
            throws IOException {
        boolean isDone = false;
        try {
            Map<Integer, byte[]> rows =
                    new PartResolution(
                                    tables,
                                    changes::get,
                                    damaged,
                                    files,
                                    state.presentLsn(),
                                    part.maxResolvedBytes())
                            .run(prepared);
            isDone = true;
            return prepared.withResolved(rows);
        } finally {
            if (!isDone) {
                changes.values().forEach(TableChanges::takeBack);
            }
        }
    }

    private CommitVote vote(
            CommitPart part, PreparedPart resolved, Map<TableShard, TableChanges> changes) {
        Commit commit =
                new Commit(
                        part.transactionId(),
                        part.isRepeatable(),
                        resolved.batches(),
                        ShardTransactions.takeRowIds(tables, resolved));
        List<ByteBuffer> payload = TransactionRecords.encode(commit);
        long sizeBytes = payload.stream().mapToLong(ByteBuffer::remaining).sum();
        if (sizeBytes > state.log().recordBytes()) {
            changes.values().forEach(TableChanges::takeBack);
            throw new SteleException(
                    ErrorCode.TRANSACTION_TOO_LARGE,
                    "Expected a part of transaction %s of at most %d bytes, found %d"
                            .formatted(part.transactionId(), state.log().recordBytes(), sizeBytes));
        }
        WriteTicket ticket = resolver.keep(List.copyOf(changes.values()));
        return new CommitVote(
                new NodeLog.Entry(
                        state.id(),
                        RecordType.COMMIT,
                        payload,
                        new PendingCommit(commit, ticket, part.onDurable())),
                ticket);
    }

    /** Notifies the transaction of a record that it is durable, before the record is applied. */
    static void durable(@Nullable Object attachment, Lsn lsn) {
        if (attachment instanceof PendingCommit pending) {
            pending.onDurable().accept(lsn);
        }
    }
}
