package io.stele.sidecar.action;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.sidecar.engine.ReplyBudget;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A runner of actions that takes room in the budget of replies before it computes their results. It
 * takes little room for most results, and, for one that grows with a table, about as much as the
 * table's files need. The length of the JSON is counted before it is written into memory.
 * Thread-safe.
 *
 * <p>Invariant: JSON beyond {@value #FIRST_BYTES} bytes is made only where it has room. Invariant:
 * at most {@value #MAX_WAITING} results of listings that turned out larger wait for room.
 */
final class ActionResults {
    /** Most results are smaller. */
    private static final int FIRST_BYTES = 16 << 10;

    /** Such results hold memory outside the budget. */
    private static final int MAX_WAITING = 4;

    private static final long RETRY_MILLIS = 500;

    private final ReplyBudget replies;
    private final Semaphore waiting = new Semaphore(MAX_WAITING);

    ActionResults(ReplyBudget replies) {
        this.replies = requireNonNull(replies, "replies is null");
    }

    /**
     * Waits for room, runs the action and encodes its result.
     *
     * @param isGone whether nobody waits for the result any more
     * @param copies how many of the result there are while it is sent
     * @param maxBytes of the result
     * @return empty if the caller had gone before the action began
     * @throws SteleException INVALID_ARGUMENT: the result is larger; BUSY: a listing has no room;
     *     or the action's own failure
     */
    Optional<ActionReply> run(
            String type,
            ActionHandler.Call call,
            BooleanSupplier isGone,
            int copies,
            int maxBytes) {
        Held held = new Held(firstBytes(call.resultBytes()));
        boolean isDone = false;
        try {
            if (isGone.getAsBoolean()) {
                return Optional.empty();
            }
            byte[] json = encode(type, call, held, copies, maxBytes);
            held.room.shrink(clamped((long) copies * json.length));
            isDone = true;
            return Optional.of(new ActionReply(json, held.room));
        } finally {
            if (!isDone) {
                held.room.close();
            }
        }
    }

    /** Runs an action whose result is small and encoded by the caller. */
    ActionReply run(long resultBytes, Supplier<byte[]> run) {
        Held held = new Held(firstBytes(resultBytes));
        boolean isDone = false;
        try {
            byte[] encoded = run.get();
            held.grow(encoded.length, false);
            held.room.shrink(encoded.length);
            isDone = true;
            return new ActionReply(encoded, held.room);
        } finally {
            if (!isDone) {
                held.room.close();
            }
        }
    }

    /**
     * Limited, because an estimate by all files of a table would exclude all other callers for a
     * plan of one file.
     */
    private int firstBytes(long resultBytes) {
        return clamped(Math.clamp(resultBytes, FIRST_BYTES, replies.firstBytes()));
    }

    private static int clamped(long bytes) {
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    private static byte[] encode(
            String type, ActionHandler.Call call, Held held, int copies, int maxBytes) {
        Object result = call.run().get();
        CountedOutput first = new CountedOutput();
        ApiJson.write(result, first);
        if (first.count > maxBytes) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a result of action '%s' of at most %s bytes, found %s"
                            .formatted(type, maxBytes, first.count));
        }
        held.grow(clamped(copies * first.count), call.resultBytes() > 0);
        return first.count <= FIRST_BYTES
                ? first.start.toByteArray()
                : ApiJson.write(result, (int) first.count);
    }

    /** The room of one result. Confined to one thread. */
    private final class Held {
        private ReplyBudget.Room room;

        Held(int sizeBytes) {
            this.room = replies.take(sizeBytes);
        }

        /**
         * @param mayRefuse whether nothing has happened that a refusal would hide
         */
        void grow(int sizeBytes, boolean mayRefuse) {
            if (room.tryGrow(sizeBytes)) {
                return;
            }
            boolean isCounted = waiting.tryAcquire();
            if (!isCounted && mayRefuse) {
                throw SteleException.busy(
                        "Expected room for a result of %d bytes (stele.client.max-pending-bytes), found that others wait for it; try again later"
                                .formatted(sizeBytes),
                        RETRY_MILLIS);
            }
            try {
                room.close(); // who waits holds nothing that others wait for
                room = replies.take(sizeBytes);
            } finally {
                if (isCounted) {
                    waiting.release();
                }
            }
        }
    }

    /** A counter of written bytes, which keeps the first of them. */
    private static final class CountedOutput extends OutputStream {
        private final ByteArrayOutputStream start = new ByteArrayOutputStream(1 << 10);
        private long count;

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            int kept = (int) Math.clamp(FIRST_BYTES - count, 0, length);
            start.write(bytes, offset, kept);
            count += length;
        }
    }
}
