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
 * The room that the rows of a reply take from the budget of replies, from before they are read
 * until the client has them: little at first, and more as rows are found and there is some.
 * Confined to one thread at a time.
 */
final class ReplyRoom implements RowRoom {
    private final ReplyBudget.Room taken;
    private final IntUnaryOperator replyBytes;
    private final int wantedBytes;
    private final int largestBytes;
    private final int countedBytes;
    private int rowBytes;

    /**
     * @param taken for {@code rowBytes} of rows and what is around them
     * @param rowBytes most bytes of rows at first
     * @param replyBytes bytes of a reply, by the bytes of its rows
     * @param wantedBytes it grows up to these for rows to come
     * @param largestBytes it grows up to these for a row that was found
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
     * Waits on another thread, as clients are behind, and this may be one for computing.
     *
     * @param read goes on with the room, unless the client is gone
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

    /** Gives all of it back. */
    void close() {
        taken.close();
    }

    /**
     * Answers, and gives the room back once the client has the reply.
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
