package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.WriteRecord;
import io.stele.engine.shard.write.QueuedWrite;
import io.stele.engine.shard.write.Resolution;
import io.stele.engine.wal.LogPosition;
import io.stele.protocol.ShardId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The appender of the writes of a shard to the log, on the write path. Writes to tables without a
 * primary key get row ids in the order of their records. Thread-safe.
 */
final class WriteAppender {
    private final ShardId shard;
    private final Supplier<ShardLog> log;

    // Held from taking row ids to appending their record. Its holder may wait for room in the log,
    // so a thread that must not wait only tries to lock it.
    private final ReentrantLock rowIdOrder = new ReentrantLock();

    /** A listener for a write that the log refused; any thread. */
    interface UnloggedListener {
        void unlogged(QueuedWrite write, Throwable cause);
    }

    /**
     * @param log the log of the node, once the shard serves
     */
    WriteAppender(ShardId shard, Supplier<ShardLog> log) {
        this.shard = requireNonNull(shard, "shard is null");
        this.log = requireNonNull(log, "log is null");
    }

    /** Appends the resolution of a write, waiting for room in the log. */
    void append(
            QueuedWrite write,
            Resolution resolution,
            WriteTicket ticket,
            UnloggedListener listener) {
        CompletableFuture<LogPosition> appended;
        if (write.appended() == 0) {
            appended = append(LogEntry.of(write, resolution, ticket, WriteRecord.NO_ROW_ID));
        } else {
            rowIdOrder.lock();
            try {
                appended = append(LogEntry.of(write, resolution, ticket, takeRowIds(write)));
            } finally {
                rowIdOrder.unlock();
            }
        }
        watch(write, appended, listener);
    }

    /** As {@link #append}, but false if that would wait; then nothing was done. Never waits. */
    boolean tryAppend(
            QueuedWrite write,
            Resolution resolution,
            WriteTicket ticket,
            UnloggedListener listener) {
        Optional<CompletableFuture<LogPosition>> appended;
        if (write.appended() == 0) {
            appended = tryAppend(LogEntry.of(write, resolution, ticket, WriteRecord.NO_ROW_ID));
        } else if (rowIdOrder.tryLock()) {
            try {
                appended = tryAppend(LogEntry.of(write, resolution, ticket, takeRowIds(write)));
            } finally {
                rowIdOrder.unlock();
            }
        } else {
            return false;
        }
        appended.ifPresent(position -> watch(write, position, listener));
        return appended.isPresent();
    }

    private static long takeRowIds(QueuedWrite write) {
        return write.table().takeRowIds(write.appended());
    }

    private CompletableFuture<LogPosition> append(LogEntry entry) {
        return log.get().append(shard, entry.type(), entry.payload(), entry.attachment());
    }

    private Optional<CompletableFuture<LogPosition>> tryAppend(LogEntry entry) {
        return log.get().tryAppend(shard, entry.type(), entry.payload(), entry.attachment());
    }

    private static void watch(
            QueuedWrite write, CompletableFuture<LogPosition> appended, UnloggedListener listener) {
        appended.whenComplete(
                (position, failed) -> {
                    if (failed != null) {
                        listener.unlogged(write, failed);
                    }
                });
    }
}
