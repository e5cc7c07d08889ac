package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.LookedUpRows;
import io.stele.engine.read.PointLookup;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import io.stele.protocol.wire.WireLimits;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.scheduling.QueryScheduler;
import io.stele.sidecar.statement.SlowStatementLog;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;

/**
 * The asynchronous handler of the framed server's key lookups, which holds the bytes of rows in the
 * budget of replies. Each lookup has room for its rows before it reads them, little at first, and
 * more as rows are found and room is free. A lookup that finds no room discards its rows, waits for
 * the room of all rows, and reads again. Hence no lookup waits for more room while it holds room.
 * Thread-safe.
 *
 * <p>Invariant: the rows of all lookups have their bytes taken from {@code replies} until the
 * client has them, but for one row of each that is being read. The reply is written from the rows
 * themselves, so it takes no bytes of its own.
 */
final class MultiGets {
    // 1 KiB a key and 64 KiB: what most need, and a thousandth of the default budget.
    private static final int FIRST_BYTES_A_KEY = 1 << 10;
    private static final int MAX_FIRST_BYTES = 64 << 10;
    // 16 MiB: any row fits, and several clients that ask for large ones have room side by side.
    private static final int LARGE_BYTES = WireLimits.MAX_ROW_BYTES;

    private final EngineService engine;
    private final ReadMetrics metrics;
    private final SlowStatementLog slow;
    private final ReplyBudget replies;
    private final ThreadFactory threads;
    private final int maxReplyBytes;

    /**
     * @param replies bytes of replies that their clients have not yet received
     * @param threads starts the threads that wait for room
     */
    MultiGets(
            EngineService engine,
            ReadMetrics metrics,
            SlowStatementLog slow,
            ReplyBudget replies,
            ThreadFactory threads,
            int maxReplyBytes) {
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.slow = requireNonNull(slow, "slow is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.maxReplyBytes = maxReplyBytes;
    }

    /** Looks up and replies, on this thread or later on another. */
    void answer(Request request, boolean mayRunHere) {
        MultiGet get = MultiGet.decode(request.frame());
        int rowBytes =
                (int) Math.min((long) FIRST_BYTES_A_KEY * get.keys().size(), MAX_FIRST_BYTES);
        Optional<ReplyBudget.Room> taken = replies.tryTake(replyBytes(get, rowBytes));
        if (taken.isPresent()) {
            lookUp(request, get, new Attempt(get, rowBytes, taken.get(), true), mayRunHere);
        } else {
            awaitRoom(request, get, rowBytes, true);
        }
    }

    private int replyBytes(MultiGet get, int rowBytes) {
        return Math.min(MultiGetReply.headLimitBytes(get.keys().size()) + rowBytes, maxReplyBytes);
    }

    private void awaitRoom(Request request, MultiGet get, int rowBytes, boolean isFirst) {
        ReplyRoom.await(
                replies,
                threads,
                request,
                replyBytes(get, rowBytes),
                taken -> lookUp(request, get, new Attempt(get, rowBytes, taken, isFirst), false));
    }

    private void lookUp(Request request, MultiGet get, Attempt attempt, boolean mayRunHere) {
        long start = System.nanoTime();
        try {
            QueryScheduler queries = engine.queries();
            PointLookup lookup =
                    engine.engine()
                            .startLookup(get.tableId(), get.readLsn(), get.keys(), attempt.room);
            CompletableFuture<LookedUpRows> looked =
                    queries.lookUp(
                            queries.group(request.connection().identity()), lookup, mayRunHere);
            // Then this thread replies, because waking the writer takes about as long as the lookup
            boolean isHere = mayRunHere && looked.isDone();
            looked.whenComplete(
                    (found, failure) -> {
                        if (found == null) {
                            attempt.room.fail(request, requireNonNull(failure));
                        } else {
                            finish(request, get, attempt, found, start, isHere);
                        }
                    });
        } catch (RuntimeException | Error e) {
            attempt.room.fail(request, e);
        }
    }

    private void finish(
            Request request,
            MultiGet get,
            Attempt attempt,
            LookedUpRows found,
            long start,
            boolean isHere) {
        int count = found.rows().size();
        // A large reply may have fewer rows than requested; small ones would make many round trips.
        // The reply of a second try has fewer only if rows have changed meanwhile.
        if (count == get.keys().size()
                || (count > 0 && (!attempt.isFirst || attempt.room.rowBytes() >= LARGE_BYTES))) {
            long nanos = System.nanoTime() - start;
            metrics.lookedUp(count, found.foundCount(), nanos);
            slow.lookedUp(
                    request.connection().identity().user(),
                    get.tableId(),
                    get.keys().size(),
                    nanos);
            attempt.room.send(
                    request,
                    FrameType.MULTI_GET_REPLY,
                    isHere,
                    () ->
                            new MultiGetReply(found.schemaVersion(), found.rows())
                                    .payload(maxReplyBytes));
        } else {
            lookAgain(request, get, attempt.room, found.neededBytes());
        }
    }

    private void lookAgain(Request request, MultiGet get, ReplyRoom room, long neededBytes) {
        int largest = maxReplyBytes - MultiGetReply.headLimitBytes(get.keys().size());
        if (room.rowBytes() >= largest) {
            room.fail(
                    request,
                    new SteleException(
                            ErrorCode.ROW_TOO_LARGE,
                            "Expected a row of at most %s bytes, found a larger one"
                                    .formatted(largest)));
            return;
        }
        int next = room.rowBytes() < LARGE_BYTES ? LARGE_BYTES : largest;
        if (neededBytes > room.rowBytes() && neededBytes <= LARGE_BYTES) {
            next = (int) neededBytes;
        }
        room.close();
        awaitRoom(request, get, next, false);
    }

    /** One try of a lookup; the first one has not discarded rows before. */
    private final class Attempt {
        private final ReplyRoom room;
        private final boolean isFirst;

        Attempt(MultiGet get, int rowBytes, ReplyBudget.Room taken, boolean isFirst) {
            this.room =
                    new ReplyRoom(
                            taken,
                            rowBytes,
                            wanted -> replyBytes(get, wanted),
                            LARGE_BYTES,
                            LARGE_BYTES,
                            isFirst ? LARGE_BYTES : 0);
            this.isFirst = isFirst;
        }
    }
}
