package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.WriteResolver.Ticket;
import io.stele.engine.wal.LogPosition;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;

/**
 * The appender of the writes of a shard to the log, on the write path. Writes to tables without a
 * primary key get row ids in the order of their records. Thread-safe.
 */
final class WriteAppender {
    private final TableGroupShard shard;
    private final WriteResolver resolver;
    private final Object rowIdOrder =
            new Object(); // held from taking row ids to appending their record

    WriteAppender(TableGroupShard shard, WriteResolver resolver) {
        this.shard = requireNonNull(shard, "shard is null");
        this.resolver = requireNonNull(resolver, "resolver is null");
    }

    /** Appends what became of a write, waiting for room in the log. */
    void append(QueuedWrite write, Resolution resolution, Ticket ticket) {
        withRowIds(
                write,
                firstRowId -> {
                    LogEntry entry = LogEntry.of(write, resolution, ticket, firstRowId);
                    watch(
                            write,
                            ticket,
                            shard.log()
                                    .append(
                                            shard.id(),
                                            entry.type(),
                                            entry.payload(),
                                            entry.attachment()));
                    return true;
                });
    }

    /** As {@link #append}, but false if that would wait; then nothing was done. */
    boolean tryAppend(QueuedWrite write, Resolution resolution, Ticket ticket) {
        return withRowIds(
                write,
                firstRowId -> {
                    LogEntry entry = LogEntry.of(write, resolution, ticket, firstRowId);
                    Optional<CompletableFuture<LogPosition>> appended =
                            shard.log()
                                    .tryAppend(
                                            shard.id(),
                                            entry.type(),
                                            entry.payload(),
                                            entry.attachment());
                    appended.ifPresent(position -> watch(write, ticket, position));
                    return appended.isPresent();
                });
    }

    private boolean withRowIds(QueuedWrite write, LongPredicate append) {
        if (write.appended() == 0) {
            return append.test(WriteRecord.NO_ROW_ID);
        }
        synchronized (rowIdOrder) {
            return append.test(write.table().takeRowIds(write.appended()));
        }
    }

    private void watch(QueuedWrite write, Ticket ticket, CompletableFuture<LogPosition> appended) {
        appended.whenComplete(
                (position, failed) -> {
                    if (failed != null) {
                        shard.refuse(write, failed);
                        notLogged(ticket, failed);
                    }
                });
    }

    private void notLogged(Ticket ticket, Throwable failed) {
        if (ticket.equals(Ticket.PASSED_BY)) {
            resolver.dropped();
        } else {
            // Later batches were worked out on the assumption that this one is there.
            shard.context()
                    .execute(
                            () ->
                                    shard.fail(
                                            new SteleException(
                                                    ErrorCode.UNAVAILABLE,
                                                    "Shard %s stopped: a batch it had worked out is not in the log: %s"
                                                            .formatted(shard.id(), failed),
                                                    failed)));
        }
    }
}
