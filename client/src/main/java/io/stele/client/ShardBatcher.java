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
 * The batches of one writer for one shard: one open, some full and waiting, some sent, and while
 * the shard is busy some that wait to be sent again ({@link PostponedBatches}). Guarded by the
 * writer's lock.
 *
 * <p>When the open batch is sent before it is full: at once where nothing is unanswered, else after
 * the linger time, and with at most {@value #MAX_LINGERED} such batches unanswered. So a lone row
 * does not wait, and batches grow by themselves when the sidecar is slower than the writer. Rows
 * that are handed over together go out together: while they are being added only full batches
 * leave.
 */
final class ShardBatcher implements RequestBatcher {
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

    /** Adds an operation and returns the batch it is in; under the writer's lock. */
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

    /** Whether the shard remembers no more batches than are unanswered; then a reply wakes us. */
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
     * Takes the batches that were not sent yet, oldest first, after those to be sent again; under
     * the writer's lock.
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

    /** A sent batch has its answer; under the writer's lock. */
    void answered(WriteRequest batch) {
        unanswered--;
        if (batch.lingered()) {
            unansweredLingered--;
        }
    }

    /**
     * A batch was applied; under the writer's lock.
     *
     * @return those that were to be sent again and can not be any more, because this one came later
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
     * A sent batch was refused as BUSY and is to be sent again; under the writer's lock.
     *
     * @return false: it can not be, because a later one of this shard is applied already
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

    /** A sent batch will not be answered: it waits if others do; under the writer's lock. */
    boolean takeBack(WriteRequest batch) {
        if (postponed.isEmpty() || writer.isPaused()) {
            return false;
        }
        answered(batch);
        postponed.addUnrefused(batch);
        schedule();
        return true;
    }

    // The shard waits for them under this id, and would take nothing else.
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
