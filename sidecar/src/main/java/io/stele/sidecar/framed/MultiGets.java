package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.LookedUpRows;
import io.stele.engine.read.PointLookup;
import io.stele.engine.read.RowRoom;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.FramePayload;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import io.stele.protocol.wire.WireLimits;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.scheduling.QueryScheduler;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/**
 * The lookups by key of the framed server. Each has room for its rows before it reads them: little
 * at first, and more as rows are found and there is some. One that finds no room gives up what it
 * has, waits for room for what all rows need, and reads again: nobody waits for more while it holds
 * some. Thread-safe.
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
    private final ReplyBudget replies;
    private final ThreadFactory threads;
    private final int maxReplyBytes;

    /**
     * @param replies bytes of replies that their clients have not yet taken
     * @param threads start those that wait for room
     */
    MultiGets(
            EngineService engine,
            ReadMetrics metrics,
            ReplyBudget replies,
            ThreadFactory threads,
            int maxReplyBytes) {
        this.engine = requireNonNull(engine, "engine is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.maxReplyBytes = maxReplyBytes;
    }

    /** Looks up and answers, here or later. */
    void answer(Request request, boolean mayRunHere) {
        MultiGet get = MultiGet.decode(request.frame());
        int rowBytes =
                (int) Math.min((long) FIRST_BYTES_A_KEY * get.keys().size(), MAX_FIRST_BYTES);
        Optional<ReplyBudget.Room> taken = replies.tryTake(replyBytes(get, rowBytes));
        if (taken.isPresent()) {
            lookUp(request, get, new Room(get, rowBytes, taken.get(), true), mayRunHere);
        } else {
            awaitRoom(request, get, rowBytes, true);
        }
    }

    private int replyBytes(MultiGet get, int rowBytes) {
        return Math.min(MultiGetReply.headLimitBytes(get.keys().size()) + rowBytes, maxReplyBytes);
    }

    /** Clients are behind: another thread waits for them, this may be one for computing. */
    private void awaitRoom(Request request, MultiGet get, int rowBytes, boolean isFirst) {
        threads.newThread(
                        () -> {
                            ReplyBudget.Room taken = replies.take(replyBytes(get, rowBytes));
                            if (request.connection().isClosed()) {
                                taken.close();
                                request.abandon();
                            } else {
                                Room room = new Room(get, rowBytes, taken, isFirst);
                                lookUp(request, get, room, false);
                            }
                        })
                .start();
    }

    private void lookUp(Request request, MultiGet get, Room room, boolean mayRunHere) {
        long start = System.nanoTime();
        try {
            QueryScheduler queries = engine.queries();
            PointLookup lookup =
                    engine.engine().startLookup(get.tableId(), get.readLsn(), get.keys(), room);
            queries.lookUp(queries.group(request.connection().identity()), lookup, mayRunHere)
                    .whenComplete(
                            (found, failure) -> {
                                if (found == null) {
                                    fail(request, room, requireNonNull(failure));
                                } else {
                                    finish(request, get, room, found, start);
                                }
                            });
        } catch (RuntimeException | Error e) {
            fail(request, room, e);
        }
    }

    private void finish(Request request, MultiGet get, Room room, LookedUpRows found, long start) {
        int count = found.rows().size();
        // A large reply may have fewer rows than asked for; small ones would make many round trips.
        // That of a second try only where rows have changed meanwhile.
        if (count == get.keys().size()
                || (count > 0 && (!room.isFirst || room.rowBytes >= LARGE_BYTES))) {
            metrics.lookedUp(count, found.foundCount(), System.nanoTime() - start);
            send(request, room, found);
        } else {
            lookAgain(request, get, room, found.neededBytes());
        }
    }

    private void lookAgain(Request request, MultiGet get, Room room, long neededBytes) {
        int largest = maxReplyBytes - MultiGetReply.headLimitBytes(get.keys().size());
        if (room.rowBytes >= largest) {
            fail(
                    request,
                    room,
                    new SteleException(
                            ErrorCode.ROW_TOO_LARGE,
                            "Expected a row of at most %s bytes, found a larger one"
                                    .formatted(largest)));
            return;
        }
        int next = room.rowBytes < LARGE_BYTES ? LARGE_BYTES : largest;
        if (neededBytes > room.rowBytes && neededBytes <= LARGE_BYTES) {
            next = (int) neededBytes;
        }
        room.taken.close();
        awaitRoom(request, get, next, false);
    }

    private void send(Request request, Room room, LookedUpRows found) {
        FramePayload reply;
        try {
            reply = new MultiGetReply(found.schemaVersion(), found.rows()).payload(maxReplyBytes);
        } catch (RuntimeException | Error e) {
            fail(request, room, e);
            return;
        }
        room.taken.shrink(reply.sizeBytes());
        request.complete(FrameType.MULTI_GET_REPLY, reply, room.taken::close);
    }

    private void fail(Request request, Room room, Throwable failure) {
        room.taken.close();
        FailureReplies.fail(request, failure);
    }

    /** The room of one lookup, up to that for large rows. Confined to one thread at a time. */
    private final class Room implements RowRoom {
        private final MultiGet get;
        private final ReplyBudget.Room taken;
        private final boolean isFirst;
        private int rowBytes;

        /**
         * @param rowBytes most bytes of rows
         * @param taken of the bytes for replies, for rows and what is around them
         * @param isFirst whether the lookup has not given up rows before
         */
        Room(MultiGet get, int rowBytes, ReplyBudget.Room taken, boolean isFirst) {
            this.get = get;
            this.rowBytes = rowBytes;
            this.taken = taken;
            this.isFirst = isFirst;
        }

        @Override
        public long grow(long neededBytes) {
            if (neededBytes > rowBytes && rowBytes < LARGE_BYTES) {
                // Twice as much, for the rows to come, or just what this row needs
                int needed = (int) Math.min(neededBytes, LARGE_BYTES);
                int twice = (int) Math.min(2L * rowBytes, LARGE_BYTES);
                if (twice <= needed || !tryGrow(twice)) {
                    tryGrow(needed);
                }
            }
            return rowBytes;
        }

        private boolean tryGrow(int wanted) {
            boolean isGrown = taken.tryGrow(replyBytes(get, wanted));
            if (isGrown) {
                rowBytes = wanted;
            }
            return isGrown;
        }

        @Override
        public long countedBytes() {
            return isFirst ? LARGE_BYTES : 0;
        }
    }
}
