package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.Write;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The request for one batch of a {@link TableWriter} to a shard, with its futures. It gets a
 * sequence when it is first sent, and repetitions have the same sequence, so that the shard detects
 * duplicates. Guarded by the writer's lock until it is sent; not changed after that.
 */
final class WriteRequest extends Request {
    private final ShardBatcher batcher;
    private final WriteBatchBuilder batch;
    private final long openedNanos;
    private final List<BatchFuture> futures = new ArrayList<>(1);
    private UUID writerId;
    private long sequence;
    private boolean lingered;
    private boolean alone;

    WriteRequest(ShardBatcher batcher, WriteBatchBuilder batch, long openedNanos) {
        this.batcher = batcher;
        this.batch = batch;
        this.openedNanos = openedNanos;
        this.writerId = batcher.writerId();
        this.futures.add(new BatchFuture());
    }

    ShardBatcher batcher() {
        return batcher;
    }

    WriteBatchBuilder batch() {
        return batch;
    }

    long openedNanos() {
        return openedNanos;
    }

    /** The future of the rows that were first added to this batch. */
    BatchFuture future() {
        return futures.get(0);
    }

    /** All futures that wait for this batch, including the futures of split batches. */
    List<BatchFuture> futures() {
        return futures;
    }

    /** Makes the futures of a split batch also wait for this batch. */
    void addFuturesOf(WriteRequest other) {
        for (BatchFuture future : other.futures) {
            if (!futures.contains(future)) {
                future.addPart();
                futures.add(future);
            }
        }
    }

    /** Whether it is a single insert, whose refusal only its future reports. */
    boolean isAlone() {
        return alone;
    }

    void setAlone() {
        alone = true;
    }

    long sequence() {
        return sequence;
    }

    /** Whether it was sent before it was full while other batches were unanswered. */
    boolean lingered() {
        return lingered;
    }

    /** Whether it was sent before. */
    boolean wasSent() {
        return sequence > 0;
    }

    void sending(UUID newWriterId, long newSequence, boolean beforeFull) {
        this.writerId = newWriterId;
        this.sequence = newSequence;
        this.lingered = beforeFull;
    }

    @Override
    int rowCount() {
        return batch.operationCount();
    }

    @Override
    void write(FrameWriter writer, int requestId) throws IOException {
        byte[] head = Write.encodeHead(batcher.shard(), writerId, sequence);
        writer.write(
                FrameType.WRITE,
                requestId,
                head,
                head.length,
                batch.buffer(),
                0,
                batch.sizeBytes());
    }

    @Override
    boolean onReply(Frame frame) {
        if (frame.type() == FrameType.WRITE_REPLY) {
            batcher.writer().acknowledged(this, WriteReply.decode(frame));
        } else if (frame.type() == FrameType.ERROR) {
            SteleException failure = ErrorReply.decode(frame).toException();
            switch (failure.code()) {
                case STALE_TABLE -> batcher.writer().stale(this, failure);
                case BUSY -> batcher.writer().busy(this, failure);
                default -> batcher.writer().failed(this, failure);
            }
        } else {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Expected a WRITE_REPLY frame, found " + frame.type());
        }
        return true;
    }

    @Override
    boolean takenBack() {
        return batcher.writer().takenBack(this);
    }

    @Override
    void onFailure(SteleException failure) {
        batcher.writer().failed(this, failure);
    }

    /** Completes the futures; returns the futures that are now done. */
    List<BatchFuture> complete(Lsn lsn) {
        List<BatchFuture> done = new ArrayList<>(futures.size());
        for (BatchFuture future : futures) {
            if (future.partDone(lsn)) {
                done.add(future);
            }
        }
        return done;
    }

    void fail(SteleException failure) {
        for (BatchFuture future : futures) {
            future.fail(failure);
        }
    }
}
