package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.RowRoom;
import io.stele.protocol.wire.FramePayload;
import io.stele.protocol.wire.FrameType;
import io.stele.sidecar.engine.ReplyBudget;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * A reservation of bytes for one reply's rows in the budget of replies, which grows as rows are
 * found and room is free. It lasts from before the rows are read until the client has received
 * them. Confined to one thread at a time.
 */
final class ReplyRoom implements RowRoom {
    private final ReplyBudget.Room taken;
    private final IntUnaryOperator replyBytes;
    private final int wantedBytes;
    private final int largestBytes;
    private final int countedBytes;
    private int rowBytes;

    /**
     * @param taken the room for {@code rowBytes} of rows and the rest of the reply
     * @param rowBytes most bytes of rows at first
     * @param replyBytes bytes of a reply, by the bytes of its rows
     * @param wantedBytes limit up to which it grows for rows to come
     * @param largestBytes limit up to which it grows for a row that was found
     * @param countedBytes {@link RowRoom#countedBytes}
     */
    ReplyRoom(
            ReplyBudget.Room taken,
            int rowBytes,
            IntUnaryOperator replyBytes,
            int wantedBytes,
            int largestBytes,
            int countedBytes) {
        this.taken = requireNonNull(taken, "taken is null");
        this.rowBytes = rowBytes;
        this.replyBytes = requireNonNull(replyBytes, "replyBytes is null");
        this.wantedBytes = wantedBytes;
        this.largestBytes = largestBytes;
        this.countedBytes = countedBytes;
    }

    /**
     * Waits for room on another thread, because clients are behind, and the caller may be a
     * computing thread.
     *
     * @param read continues with the room, unless the client is gone
     */
    static void await(
            ReplyBudget replies,
            ThreadFactory threads,
            Request request,
            int replyBytes,
            Consumer<ReplyBudget.Room> read) {
        threads.newThread(
                        () -> {
                            ReplyBudget.Room taken = replies.take(replyBytes);
                            if (request.connection().isClosed()) {
                                taken.close();
                                request.abandon();
                            } else {
                                read.accept(taken);
                            }
                        })
                .start();
    }

    int rowBytes() {
        return rowBytes;
    }

    @Override
    public long grow(long neededBytes) {
        if (neededBytes > rowBytes && rowBytes < largestBytes) {
            // Twice as much, for the rows to come, or just what this row needs
            int needed = (int) Math.min(neededBytes, largestBytes);
            int twice = (int) Math.min(2L * rowBytes, wantedBytes);
            if (twice <= needed || !tryGrow(twice)) {
                tryGrow(needed);
            }
        }
        return rowBytes;
    }

    private boolean tryGrow(int wanted) {
        boolean isGrown = taken.tryGrow(replyBytes.applyAsInt(wanted));
        if (isGrown) {
            rowBytes = wanted;
        }
        return isGrown;
    }

    @Override
    public long countedBytes() {
        return countedBytes;
    }

    /** Returns all of it. */
    void close() {
        taken.close();
    }

    /**
     * Replies, and returns the room once the client has the reply.
     *
     * @param isHere whether this is the thread of the connection, which may wait for the client
     */
    void send(Request request, FrameType type, boolean isHere, Supplier<FramePayload> encoded) {
        FramePayload reply;
        try {
            reply = encoded.get();
        } catch (RuntimeException | Error e) {
            fail(request, e);
            return;
        }
        taken.shrink(reply.sizeBytes());
        if (isHere) {
            request.completeHere(type, reply, taken::close);
        } else {
            request.complete(type, reply, taken::close);
        }
    }

    void fail(Request request, Throwable failure) {
        close();
        FailureReplies.fail(request, failure);
    }
}
