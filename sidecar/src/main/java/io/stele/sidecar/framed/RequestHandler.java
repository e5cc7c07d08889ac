package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.engine.LookedUpRows;
import io.stele.engine.PointLookup;
import io.stele.engine.StorageEngine;
import io.stele.engine.shard.WriteOutcome;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.TableName;
import io.stele.protocol.wire.ActionCall;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.GetTable;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import io.stele.protocol.wire.OpenTable;
import io.stele.protocol.wire.OpenTableResult;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.Write;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.protocol.wire.WriteReply;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.flight.ActionHandlers;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.metrics.IngestMetrics;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.scheduling.QueryScheduler;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The dispatcher of the requests of the framed server: it executes each request on the engine and
 * completes it with a reply. Thread-safe.
 */
final class RequestHandler {
    private static final Logger log = Logger.get(RequestHandler.class);

    // Leaves room in a frame for its head.
    private static final int MAX_REPLY_BYTES = WireLimits.MAX_FRAME_BYTES - 1024;

    private final EngineService engine;
    private final ActionHandlers actions;
    private final AccessMetrics accessMetrics;
    private final IngestMetrics ingestMetrics;
    private final ReadMetrics readMetrics;
    private final PendingLimits replies;
    private final ThreadFactory threads;

    RequestHandler(
            EngineService engine,
            ActionHandlers actions,
            AccessMetrics accessMetrics,
            IngestMetrics ingestMetrics,
            ReadMetrics readMetrics,
            PendingLimits replies,
            ThreadFactory threads) {
        this.engine = requireNonNull(engine, "engine is null");
        this.actions = requireNonNull(actions, "actions is null");
        this.accessMetrics = requireNonNull(accessMetrics, "accessMetrics is null");
        this.ingestMetrics = requireNonNull(ingestMetrics, "ingestMetrics is null");
        this.readMetrics = requireNonNull(readMetrics, "readMetrics is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.threads = requireNonNull(threads, "threads is null");
    }

    /**
     * Starts a request; it may be answered later, by another thread.
     *
     * @param moreWaiting whether the client has sent more already: then the caller's thread has no
     *     time to look anything up, or to open what is read
     */
    void handle(Request request, boolean moreWaiting) {
        switch (request.frame().type()) {
            case WRITE -> write(request);
            case MULTI_GET ->
                    answer(request, asked -> multiGet(asked, System.nanoTime(), !moreWaiting));
            case GET_TABLE -> answer(request, this::getTable);
            // May wait, and what the client sent after it need not
            case ACTION -> threads.newThread(() -> answer(request, this::action)).start();
            case OPEN_TABLE -> openTable(request, !moreWaiting);
            case PING -> request.complete(FrameType.PING_REPLY, new byte[0]);
            case HELLO,
                    HELLO_REPLY,
                    GET_TABLE_REPLY,
                    WRITE_REPLY,
                    MULTI_GET_REPLY,
                    PING_REPLY,
                    ACTION_REPLY,
                    OPEN_TABLE_REPLY,
                    ERROR ->
                    request.fail(
                            new SteleException(
                                    ErrorCode.INVALID_ARGUMENT,
                                    "Expected a request, found a frame of type "
                                            + request.frame().type()));
        }
    }

    private void write(Request request) {
        long start = System.nanoTime();
        try {
            Write write = Write.decode(request.frame());
            long rows = request.received().refusal().isPresent() ? 0 : operationCount(write);
            apply(request.received(), write)
                    .whenComplete(
                            (outcome, failure) ->
                                    finishWrite(
                                            request,
                                            rows,
                                            write.batchLength(),
                                            start,
                                            outcome,
                                            failure));
        } catch (RuntimeException e) {
            failWrite(request, e);
        }
    }

    private static long operationCount(Write write) {
        return new WriteBatchReader(write.payload(), write.batchOffset(), write.batchLength())
                .operationCount();
    }

    private CompletableFuture<WriteOutcome> apply(Received received, Write write) {
        StorageEngine storage = engine.engine();
        if (received.refusal().isPresent()) {
            return storage.postpone(
                    write.shard(), write.writerId(), write.sequence(), received.refusal().get());
        }
        return storage.apply(
                write.shard(),
                write.writerId(),
                write.sequence(),
                write.payload(),
                write.batchOffset(),
                write.batchLength(),
                received.room().orElseGet(storage::writeRoom));
    }

    private void finishWrite(
            Request request,
            long rows,
            int sizeBytes,
            long start,
            @Nullable WriteOutcome outcome,
            @Nullable Throwable failure) {
        if (outcome == null) {
            failWrite(
                    request,
                    failure == null
                            ? new IllegalStateException("A write ended with nothing")
                            : failure);
        } else {
            ingestMetrics.acknowledged(rows, sizeBytes, System.nanoTime() - start);
            request.complete(
                    FrameType.WRITE_REPLY,
                    new WriteReply(outcome.lsn(), outcome.skipped()).encode());
        }
    }

    private void failWrite(Request request, Throwable failure) {
        ingestMetrics.failed();
        Throwable cause = unwrapped(failure);
        if (cause instanceof SteleException known && endsWrite(known.code())) {
            request.fail(known);
        } else {
            log.warn(
                    cause,
                    "A write of %s has an unknown outcome; its connection is closed, so that the client asks again",
                    request.connection());
            request.abandon();
        }
    }

    /**
     * ERROR promises that a write was not applied and never will be. After these failures only the
     * log has the outcome, or the next process of this sidecar can still apply the write. So the
     * client sends it again.
     */
    private static boolean endsWrite(ErrorCode code) {
        return switch (code) {
            case STORE_FAILED, INTERNAL, UNAVAILABLE -> false;
            default -> true;
        };
    }

    private void answer(Request request, Consumer<Request> action) {
        try {
            action.accept(request);
        } catch (RuntimeException e) {
            fail(request, e);
        }
    }

    private void fail(Request request, Throwable failure) {
        switch (unwrapped(failure)) {
            case SteleException known -> request.fail(known);
            case IOException unreadable -> {
                log.warn(unreadable, "Cannot read for %s", request.connection());
                request.fail(
                        new SteleException(
                                ErrorCode.STORE_FAILED,
                                "The warehouse cannot be read: " + unreadable.getMessage(),
                                unreadable));
            }
            case Throwable e -> {
                log.error(
                        e,
                        "A request %s of %s failed",
                        request.frame().type(),
                        request.connection());
                request.fail(
                        new SteleException(
                                ErrorCode.INTERNAL,
                                "The sidecar failed; its log says why: "
                                        + e.getClass().getSimpleName(),
                                e));
            }
        }
    }

    private void getTable(Request request) {
        GetTable names = GetTable.decode(request.frame());
        byte[] description =
                ApiJson.write(
                        engine.describe(new TableName(names.schemaName(), names.tableName())));
        request.complete(FrameType.GET_TABLE_REPLY, description);
    }

    private void action(Request request) {
        accessMetrics.actionCalled();
        ActionCall call = ActionCall.decode(request.frame());
        byte[] result = actions.repeat(call.type(), call.request());
        checkLength(call.type(), result);
        send(request, FrameType.ACTION_REPLY, result, replies.takeUninterruptibly(result.length));
    }

    /** Each thread that has to be woken takes about as long as the request itself. */
    private void openTable(Request request, boolean mayRunHere) {
        if (mayRunHere) {
            answer(request, asked -> openTable(asked, Request::completeHere));
        } else {
            threads.newThread(() -> answer(request, asked -> openTable(asked, Request::complete)))
                    .start();
        }
    }

    private void openTable(Request request, Completion completion) {
        accessMetrics.actionCalled();
        byte[] reply = OpenTableResult.encode(actions.openTable(OpenTable.decode(request.frame())));
        checkLength(Actions.OPEN_TABLE, reply);
        int taken = replies.takeUninterruptibly(reply.length);
        completion.complete(
                request, FrameType.OPEN_TABLE_REPLY, reply, () -> replies.giveBack(taken));
    }

    /** The completion of a request. */
    private interface Completion {
        void complete(Request request, FrameType type, byte[] reply, Runnable flushed);
    }

    private static void checkLength(String action, byte[] result) {
        if (result.length > MAX_REPLY_BYTES) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a result of action '%s' of at most %s bytes, found %s: ask over Flight"
                            .formatted(action, MAX_REPLY_BYTES, result.length));
        }
    }

    private void multiGet(Request request, long start, boolean mayRunHere) {
        MultiGet get = MultiGet.decode(request.frame());
        QueryScheduler queries = engine.queries();
        PointLookup lookup = engine.engine().startLookup(get.tableId(), get.readLsn(), get.keys());
        queries.lookUp(queries.group(request.connection().tag()), lookup, mayRunHere)
                .whenComplete(
                        (found, failure) -> {
                            if (found == null) {
                                fail(request, requireNonNull(failure, "failure is null"));
                            } else {
                                answer(request, asked -> lookedUp(asked, found, start));
                            }
                        });
    }

    private void lookedUp(Request request, LookedUpRows found, long start) {
        List<Optional<byte[]>> rows = found.rows();
        readMetrics.lookedUp(
                rows.size(),
                rows.stream().filter(Optional::isPresent).count(),
                System.nanoTime() - start);
        MultiGetReply reply = new MultiGetReply(found.schemaVersion(), rows);
        int limitBytes = reply.encodedLimitBytes(MAX_REPLY_BYTES);
        int taken = replies.tryTake(limitBytes);
        if (taken > 0) {
            encode(request, reply, taken);
            return;
        }
        // Clients are behind: another thread waits for them, since this one may be a computing
        // thread.
        threads.newThread(
                        () -> {
                            int waited = replies.takeUninterruptibly(limitBytes);
                            answer(request, asked -> encode(asked, reply, waited));
                        })
                .start();
    }

    /** Its bytes are taken before they exist. */
    private void encode(Request request, MultiGetReply reply, int taken) {
        byte[] bytes;
        try {
            bytes = reply.encode(MAX_REPLY_BYTES);
        } catch (RuntimeException | Error e) {
            replies.giveBack(taken);
            throw e;
        }
        send(request, FrameType.MULTI_GET_REPLY, bytes, taken);
    }

    private void send(Request request, FrameType type, byte[] reply, int taken) {
        request.complete(type, reply, () -> replies.giveBack(taken));
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }
}
