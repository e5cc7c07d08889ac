package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.TableVersions;
import io.stele.engine.shard.write.BatchValidator;
import io.stele.engine.shard.write.HeldWrite;
import io.stele.engine.shard.write.QueuedWrite;
import io.stele.engine.shard.write.Resolution;
import io.stele.engine.shard.write.WriteGate;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.engine.shard.write.WriterWindows;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The admission of writes to a shard: batches are validated, throttled, admitted in their writer's
 * order, and passed to the resolver or the log. Any thread.
 */
final class ShardWrites {
    private final ShardState state;
    private final ShardTables tables;
    private final TableAnnouncements announcements;
    private final WriteGate gate;
    private final WriterWindows writers; // guarded by itself
    private final WriteRefusals refusals;
    private final WriteResolver resolver;
    private final WriteAppender appender;

    ShardWrites(
            ShardState state,
            TableAnnouncements announcements,
            WriteGate gate,
            WriterWindows writers,
            WriteRefusals refusals,
            WriteResolver resolver,
            WriteAppender appender) {
        this.state = requireNonNull(state, "state is null");
        this.tables = state.tables();
        this.announcements = requireNonNull(announcements, "announcements is null");
        this.gate = requireNonNull(gate, "gate is null");
        this.writers = requireNonNull(writers, "writers is null");
        this.refusals = requireNonNull(refusals, "refusals is null");
        this.resolver = requireNonNull(resolver, "resolver is null");
        this.appender = requireNonNull(appender, "appender is null");
    }

    /**
     * Writes a batch; the future completes when it is durable and applied. The array must not
     * change any more.
     *
     * <p>A batch with the writer and sequence of an earlier one is answered with that one's
     * outcome.
     */
    CompletableFuture<WriteOutcome> write(
            UUID writerId, long sequence, byte[] bytes, int offset, int length) {
        CompletableFuture<WriteOutcome> acknowledgement = new CompletableFuture<>();
        try {
            state.checkServing();
            WriteBatchReader batch = new WriteBatchReader(bytes, offset, length);
            QueuedWrite write = validated(writerId, sequence, batch, acknowledgement);
            if (gate.pass(length, new GatedWrite(write))) {
                submit(write, true);
            }
        } catch (SteleException refused) {
            if (!refused.code().retryable()) {
                writers.givenUp(writerId, sequence);
            }
            refusals.refuseNew(writerId, sequence, acknowledgement, refused);
        }
        return acknowledgement;
    }

    /**
     * Refuses a write as BUSY for a reason outside the shard. It may come again under its sequence,
     * and no later batch of the writer overtakes it.
     */
    CompletableFuture<WriteOutcome> postpone(UUID writerId, long sequence, SteleException busy) {
        CompletableFuture<WriteOutcome> acknowledgement = new CompletableFuture<>();
        writers.postponed(writerId, sequence, acknowledgement);
        refusals.refuseNew(writerId, sequence, acknowledgement, busy);
        return acknowledgement;
    }

    /** A write that waits at the gate and is not yet in {@link WriterWindows}. */
    private final class GatedWrite implements HeldWrite {
        private final QueuedWrite write;

        private GatedWrite(QueuedWrite write) {
            this.write = write;
        }

        @Override
        public boolean tryRun() {
            return submit(write, false);
        }

        @Override
        public void postponed() {
            writers.postponed(write.writerId(), write.sequence(), write.acknowledgement());
        }

        @Override
        public void refuse(SteleException busy) {
            refusals.refuseNew(write.writerId(), write.sequence(), write.acknowledgement(), busy);
        }
    }

    private QueuedWrite validated(
            UUID writerId,
            long sequence,
            WriteBatchReader batch,
            CompletableFuture<WriteOutcome> acknowledgement) {
        TableShard table = tables.writable(batch.tableId());
        TableVersions versions = announcements.announced(table, batch.schemaVersion());
        BatchValidator.Summary summary = new BatchValidator(versions, state.id()).validate(batch);
        return new QueuedWrite(writerId, sequence, table, batch, summary, acknowledgement);
    }

    /**
     * Admits a write and passes it to the resolver or the log.
     *
     * @param waits whether the append may wait for room in the log
     * @return false: there is no room, and nothing was done
     */
    private boolean submit(QueuedWrite write, boolean waits) {
        Optional<CompletableFuture<WriteOutcome>> earlier;
        try {
            earlier = writers.admit(write.writerId(), write.sequence(), write.acknowledgement());
        } catch (SteleException outOfTurn) {
            write.acknowledgement().completeExceptionally(outOfTurn);
            return true;
        }
        if (earlier.isPresent()) {
            Futures.forward(earlier.get(), write.acknowledgement());
            return true;
        }
        try {
            checkNotAltered(write);
            if (resolver.take(write)) {
                return true;
            }
            Resolution plain = new Resolution.Accepted(write.batch(), 0);
            if (waits) {
                appender.append(write, plain, WriteTicket.PASSED_BY, this::unlogged);
            } else if (!appender.tryAppend(write, plain, WriteTicket.PASSED_BY, this::unlogged)) {
                resolver.dropped();
                writers.withdrawn(write.writerId(), write.sequence(), write.acknowledgement());
                return false;
            }
        } catch (RuntimeException | Error refused) {
            refusals.refuse(write, refused);
        }
        return true;
    }

    /**
     * Throws STALE_TABLE when a table's columns changed while its write was held at the gate.
     * Earlier batches of the writer may be refused for that too, and must not come behind this one.
     */
    private void checkNotAltered(QueuedWrite write) {
        tables.writable(write.batch().tableId());
        int announced = write.table().announced().schemaVersion();
        if (announced != write.batch().schemaVersion()) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected rows of schema version %d of table %s, found version %d: its columns were changed while they waited"
                            .formatted(
                                    announced,
                                    write.table().schema().qualifiedName(),
                                    write.batch().schemaVersion()));
        }
    }

    /** Refuses a write that bypassed the resolver and that the log refused. Any thread. */
    private void unlogged(QueuedWrite write, Throwable cause) {
        refusals.refuse(write, cause);
        resolver.dropped();
    }

    /** Checks a batch that a transaction stages; returns how many rows it appends. */
    int validate(WriteBatchReader batch) {
        state.checkServing();
        TableShard table = tables.writable(batch.tableId());
        TableVersions versions = announcements.announced(table, batch.schemaVersion());
        return new BatchValidator(versions, state.id()).validate(batch).appended();
    }
}
