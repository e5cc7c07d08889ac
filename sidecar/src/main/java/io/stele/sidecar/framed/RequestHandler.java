package io.stele.sidecar.framed;

import static java.util.Objects.requireNonNull;

import io.airlift.log.Logger;
import io.stele.engine.StorageEngine;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.wire.ActionCall;
import io.stele.protocol.wire.FramePayload;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.GetTable;
import io.stele.protocol.wire.OpenTable;
import io.stele.protocol.wire.OpenTableResult;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.Write;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.protocol.wire.WriteReply;
import io.stele.sidecar.action.ActionHandlers;
import io.stele.sidecar.action.ActionReply;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.AccessMetrics;
import io.stele.sidecar.metrics.IngestMetrics;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.statement.SlowStatementLog;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
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
    private final ThreadFactory threads;
    private final MultiGets multiGets;
    private final KeyScans keyScans;

    RequestHandler(
            EngineService engine,
            ActionHandlers actions,
            AccessMetrics accessMetrics,
            IngestMetrics ingestMetrics,
            ReadMetrics readMetrics,
            SlowStatementLog slowLookups,
            ReplyBudget replies,
            ThreadFactory threads) {
        this.engine = requireNonNull(engine, "engine is null");
        this.actions = requireNonNull(actions, "actions is null");
        this.accessMetrics = requireNonNull(accessMetrics, "accessMetrics is null");
        this.ingestMetrics = requireNonNull(ingestMetrics, "ingestMetrics is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.multiGets =
                new MultiGets(engine, readMetrics, slowLookups, replies, threads, MAX_REPLY_BYTES);
        this.keyScans = new KeyScans(engine, readMetrics, replies, threads, MAX_REPLY_BYTES);
    }

    /**
     * Starts a request; it may be answered later, by another thread.
     *
     * @param moreWaiting whether the client has sent more already: then the caller's thread has no
     *     time to look up keys or to open a table
     */
    void handle(Request request, boolean moreWaiting) {
        switch (request.frame().type()) {
            case WRITE -> write(request);
            case MULTI_GET ->
                    FailureReplies.answer(request, asked -> multiGets.answer(asked, !moreWaiting));
            case SCAN ->
                    FailureReplies.answer(request, asked -> keyScans.answer(asked, !moreWaiting));
            case GET_TABLE -> FailureReplies.answer(request, this::getTable);
            // May wait, but later requests of the client need not
            case ACTION ->
                    threads.newThread(() -> FailureReplies.answer(request, this::action)).start();
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
                    SCAN_REPLY,
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
        Throwable cause = FailureReplies.unwrapped(failure);
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

    private void getTable(Request request) {
        GetTable names = GetTable.decode(request.frame());
        ActionReply description =
                actions.reply(
                        () ->
                                engine.describe(
                                        new TableName(names.schemaName(), names.tableName())));
        send(request, FrameType.GET_TABLE_REPLY, description, Request::complete);
    }

    private void action(Request request) {
        accessMetrics.actionCalled();
        ActionCall call = ActionCall.decode(request.frame());
        Optional<ActionReply> result =
                actions.repeat(
                        call.type(),
                        call.request(),
                        () -> request.connection().isClosed(),
                        MAX_REPLY_BYTES);
        if (result.isPresent()) {
            send(request, FrameType.ACTION_REPLY, result.get(), Request::complete);
        } else {
            request.abandon();
        }
    }

    /**
     * Opens a table on this thread if it may, because waking another thread takes about as long as
     * the request itself.
     */
    private void openTable(Request request, boolean mayRunHere) {
        if (mayRunHere) {
            FailureReplies.answer(request, asked -> openTable(asked, Request::completeHere));
        } else {
            threads.newThread(
                            () ->
                                    FailureReplies.answer(
                                            request, asked -> openTable(asked, Request::complete)))
                    .start();
        }
    }

    private void openTable(Request request, Completion completion) {
        accessMetrics.actionCalled();
        int version = request.connection().version();
        ActionReply reply =
                actions.openTable(
                        OpenTable.decode(request.frame()),
                        result -> checkedLength(OpenTableResult.encode(result, version)));
        send(request, FrameType.OPEN_TABLE_REPLY, reply, completion);
    }

    /** The completion of a request. */
    private interface Completion {
        void complete(Request request, FrameType type, FramePayload reply, Runnable flushed);
    }

    private static void send(
            Request request, FrameType type, ActionReply reply, Completion completion) {
        completion.complete(
                request, type, FramePayload.of(reply.bytes()), () -> reply.room().close());
    }

    private static byte[] checkedLength(byte[] result) {
        if (result.length > MAX_REPLY_BYTES) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a result of action '%s' of at most %s bytes, found %s: ask over Flight"
                            .formatted(
                                    SnapshotActions.OPEN_TABLE.name(),
                                    MAX_REPLY_BYTES,
                                    result.length));
        }
        return result;
    }
}
