package io.stele.protocol.client;

import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.OperationKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one writer for one shard: one open, some full and waiting, some sent. Guarded by
 * the writer's lock.
 *
 * <p>When the open batch is sent before it is full: at once where nothing is unanswered, else after
 * the linger time, and with at most {@value #MAX_LINGERED} such batches unanswered. So a lone row
 * does not wait, and batches grow by themselves when the sidecar is slower than the writer. Rows
 * that are handed over together go out together: while they are being added only full batches
 * leave.
 */
final class ShardLane implements Lane {
    private static final int MAX_LINGERED = 2;
    // The writer wakes the connection when it has gathered what belongs together.
    private static final long UNTIL_FLUSH = UNTIL_REPLY;
    // An operation's kind and two lengths, at most.
    private static final int OPERATION_OVERHEAD_BYTES = 11;

    private final TableWriter writer;
    private final ShardId shard;
    private final Connection connection;
    private final ClientSettings settings;
    private final ArrayDeque<WriteRequest> full = new ArrayDeque<>();
    private @Nullable WriteRequest open;
    private boolean scheduled;
    private boolean flushing;
    private int unanswered;
    private int unansweredLingered;

    ShardLane(TableWriter writer, ShardId shard, Connection connection, ClientSettings settings) {
        this.writer = writer;
        this.shard = shard;
        this.connection = connection;
        this.settings = settings;
    }

    TableWriter writer() {
        return writer;
    }

    ShardId shard() {
        return shard;
    }

    /** Adds an operation and returns the batch it is in; under the writer's lock. */
    WriteRequest add(
            OperationKind kind,
            byte[] key,
            int keyLength,
            byte[] row,
            int rowOffset,
            int rowLength) {
        // A refused insert takes its whole batch along: nobody else's row is in it.
        boolean alone = kind == OperationKind.INSERT;
        WriteRequest batch = open;
        long needed = (long) keyLength + rowLength + OPERATION_OVERHEAD_BYTES;
        boolean full =
                batch != null && batch.batch().sizeBytes() + needed > settings.maxBatchBytes();
        if (batch != null && (alone || full)) {
            closeBatch(batch);
            batch = null;
        }
        if (batch == null) {
            batch = writer.newRequest(this);
        }
        batch.batch().add(kind, key, 0, keyLength, row, rowOffset, rowLength);
        if (open == null) {
            open = batch;
            writer.opened(batch);
        }
        boolean isFull =
                alone
                        || batch.batch().operationCount() >= settings.maxBatchRows()
                        || batch.batch().sizeBytes() >= settings.maxBatchBytes();
        if (alone) {
            batch.setAlone();
        }
        if (isFull) {
            closeBatch(batch);
        }
        if (!scheduled) {
            scheduled = true;
            connection.schedule(this);
        } else if (isFull) {
            connection.wake();
        }
        return batch;
    }

    private void closeBatch(WriteRequest batch) {
        open = null;
        full.add(batch);
        writer.sealed(batch);
    }

    /** Sends what is open as soon as possible; under the writer's lock. */
    void flush() {
        flushing = open != null;
        connection.wake();
    }

    boolean hasOpen() {
        return open != null;
    }

    @Override
    public @Nullable Request poll(long nowNanos) {
        writer.lock();
        try {
            if (writer.isPaused()) {
                return null;
            }
            WriteRequest next = full.poll();
            boolean beforeFull = false;
            if (next == null) {
                WriteRequest candidate = open;
                if (candidate == null || openWaitNanos(candidate, nowNanos) > 0) {
                    return null;
                }
                open = null;
                flushing = false;
                beforeFull = true;
                writer.sealed(candidate);
                next = candidate;
            }
            unanswered++;
            if (beforeFull) {
                unansweredLingered++;
            }
            next.sending(writer.nextSequence(), beforeFull);
            return next;
        } finally {
            writer.unlock();
        }
    }

    private long openWaitNanos(WriteRequest candidate, long nowNanos) {
        if (flushing) {
            return 0;
        }
        if (writer.isGathering()) {
            return UNTIL_FLUSH;
        }
        if (unanswered == 0) {
            return 0;
        }
        if (unansweredLingered >= MAX_LINGERED) {
            return UNTIL_REPLY;
        }
        return Math.max(0, settings.linger().toNanos() - (nowNanos - candidate.openedNanos()));
    }

    @Override
    public long waitNanos(long nowNanos) {
        writer.lock();
        try {
            WriteRequest candidate = open;
            if (full.isEmpty() && candidate == null) {
                scheduled = false;
                return EMPTY;
            }
            if (writer.isPaused()) {
                return UNTIL_REPLY;
            }
            return full.isEmpty() && candidate != null ? openWaitNanos(candidate, nowNanos) : 0;
        } finally {
            writer.unlock();
        }
    }

    @Override
    public long rowCount() {
        writer.lock();
        try {
            long rows = open == null ? 0 : open.rowCount();
            for (WriteRequest batch : full) {
                rows += batch.rowCount();
            }
            return rows;
        } finally {
            writer.unlock();
        }
    }

    @Override
    public void fail(SteleException failure) {
        List<WriteRequest> left;
        writer.lock();
        try {
            left = takeUnsent();
        } finally {
            writer.unlock();
        }
        left.forEach(batch -> writer.unsentFailed(batch, failure));
    }

    /** What was not sent yet, oldest first; under the writer's lock. */
    List<WriteRequest> takeUnsent() {
        List<WriteRequest> unsent = new ArrayList<>(full);
        full.clear();
        WriteRequest last = open;
        if (last != null) {
            open = null;
            flushing = false;
            writer.sealed(last);
            unsent.add(last);
        }
        return unsent;
    }

    /** A sent batch has its answer; under the writer's lock. */
    void answered(WriteRequest batch) {
        unanswered--;
        if (batch.lingered()) {
            unansweredLingered--;
        }
    }
}
