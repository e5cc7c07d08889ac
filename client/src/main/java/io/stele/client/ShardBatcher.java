package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.OperationKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one writer's batches for one shard of a table. One batch is open, some are full,
 * some sent, and some will be sent again while the shard is busy ({@link PostponedBatches}).
 * Guarded by the writer's lock.
 *
 * <p>The open batch is sent before it is full at once if no batch is unanswered, else after the
 * linger time, but only while fewer than {@value #MAX_LINGERED} such batches are unanswered. So a
 * single row does not wait, and batches grow when the sidecar is slower than the writer. Rows of
 * one call are sent together: while they are being added, only full batches are sent.
 */
final class ShardBatcher implements RequestBatcher {
    private static final int MAX_LINGERED = 2;
    // The writer wakes the connection after it has added all rows of a call.
    private static final long UNTIL_FLUSH = UNTIL_REPLY;
    // The most bytes of an operation's kind and two lengths.
    private static final int OPERATION_OVERHEAD_BYTES = 11;

    private final TableWriter writer;
    private final ShardId shard;
    private final Connection connection;
    private final ClientSettings settings;
    private final ArrayDeque<WriteRequest> full = new ArrayDeque<>();
    private final PostponedBatches postponed;
    private UUID writerId;
    private @Nullable WriteRequest open;
    private boolean scheduled;
    private boolean flushing;
    private int unanswered;
    private int unansweredLingered;
    private long highestAcknowledged; // sequence

    ShardBatcher(
            TableWriter writer,
            UUID writerId,
            ShardId shard,
            Connection connection,
            ClientSettings settings) {
        this.writerId = writerId;
        this.postponed = new PostponedBatches(settings.busyTimeout());
        this.writer = writer;
        this.shard = shard;
        this.connection = connection;
        this.settings = settings;
    }

    TableWriter writer() {
        return writer;
    }

    UUID writerId() {
        return writerId;
    }

    ShardId shard() {
        return shard;
    }

    /** Adds an operation and returns its batch; under the writer's lock. */
    WriteRequest add(
            OperationKind kind,
            byte[] key,
            int keyLength,
            byte[] row,
            int rowOffset,
            int rowLength) {
        // A refused insert fails its whole batch, so it gets a batch of its own.
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
        if (!scheduled || isFull) {
            schedule();
        }
        return batch;
    }

    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            connection.schedule(this);
        } else {
            connection.wake();
        }
    }

    private void closeBatch(WriteRequest batch) {
        open = null;
        full.add(batch);
        writer.sealed(batch);
    }

    /** Makes the open batch due at once; under the writer's lock. */
    void flush() {
        flushing = open != null;
        connection.wake();
    }

    boolean hasOpen() {
        return open != null;
    }

    @Override
    public @Nullable Request poll(long nowNanos) {
        List<WriteRequest> givenUp;
        SteleException cause;
        writer.lock();
        try {
            if (!postponed.isHopeless(nowNanos, unanswered)) {
                return pollLocked(nowNanos);
            }
            cause = busyFailure(nowNanos);
            givenUp = abandonPostponed();
        } finally {
            writer.unlock();
        }
        givenUp.forEach(batch -> writer.unsentFailed(batch, cause));
        return null;
    }

    private @Nullable Request pollLocked(long nowNanos) {
        if (writer.isPaused()) {
            return null;
        }
        if (!postponed.isEmpty()) {
            WriteRequest again = postponed.poll(nowNanos, unanswered);
            if (again != null) {
                unanswered++;
                unansweredLingered += again.lingered() ? 1 : 0;
                writer.sentAgain();
            }
            return again;
        }
        return pollNew(nowNanos);
    }

    /**
     * Whether as many batches are unanswered as the shard remembers; then the next reply wakes the
     * sender.
     */
    private boolean isFull() {
        return unanswered >= connection.maxUnansweredBatches();
    }

    private @Nullable Request pollNew(long nowNanos) {
        if (isFull()) {
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
        next.sending(writerId, writer.nextSequence(), beforeFull);
        return next;
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
            if (full.isEmpty() && candidate == null && postponed.isEmpty()) {
                scheduled = false;
                return EMPTY;
            }
            if (writer.isPaused() || (postponed.isEmpty() && isFull())) {
                return UNTIL_REPLY;
            }
            if (!postponed.isEmpty()) {
                return postponed.waitNanos(nowNanos, unanswered);
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
            long rows = postponed.rowCount() + (open == null ? 0 : open.rowCount());
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

    /**
     * Removes and returns the batches to be sent again, then the unsent batches, oldest first;
     * under the writer's lock.
     */
    List<WriteRequest> takeUnsent() {
        List<WriteRequest> unsent = abandonPostponed();
        unsent.addAll(full);
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

    /** Called when a sent batch was answered; under the writer's lock. */
    void answered(WriteRequest batch) {
        unanswered--;
        if (batch.lingered()) {
            unansweredLingered--;
        }
    }

    /**
     * Called when a batch was applied; under the writer's lock.
     *
     * @return the batches that were to be sent again, but were overtaken by this batch of a higher
     *     sequence
     */
    List<WriteRequest> acknowledged(WriteRequest batch) {
        answered(batch);
        highestAcknowledged = Math.max(highestAcknowledged, batch.sequence());
        if (postponed.isEmpty()) {
            return postponed.acknowledged(batch.sequence());
        }
        List<WriteRequest> overtaken = postponed.acknowledged(batch.sequence());
        connection.wake();
        return overtaken;
    }

    /**
     * Postpones a sent batch that was refused as BUSY; under the writer's lock.
     *
     * @return false if it cannot be sent again, because the shard has applied a later batch
     */
    boolean postpone(WriteRequest batch, SteleException cause, long nowNanos) {
        if (batch.sequence() < highestAcknowledged) {
            return false;
        }
        batch.sentAnew();
        postponed.add(batch, cause, nowNanos);
        schedule();
        return true;
    }

    /**
     * Called when a sent batch will not be answered: postpones it if other batches are postponed,
     * and returns whether it did; under the writer's lock.
     */
    boolean takeBack(WriteRequest batch) {
        if (postponed.isEmpty() || writer.isPaused()) {
            return false;
        }
        answered(batch);
        postponed.addUnrefused(batch);
        schedule();
        return true;
    }

    // The writer gets a new id, because the shard waits for the postponed batches of the present id
    // and would accept no others.
    private List<WriteRequest> abandonPostponed() {
        if (!postponed.isEmpty()) {
            writerId = writer.newWriterId();
        }
        return postponed.takeAll();
    }

    private SteleException busyFailure(long nowNanos) {
        SteleException last = postponed.lastCause();
        return new SteleException(
                ErrorCode.BUSY,
                "Shard "
                        + shard
                        + " has taken nothing for "
                        + Duration.ofNanos(postponed.refusedNanos(nowNanos)).toMillis()
                        + " ms; "
                        + postponed.rowCount()
                        + " rows that were refused are not applied"
                        + (last == null ? "" : "; last answer: " + last.getMessage()));
    }
}
