package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.PutResult;
import io.stele.sidecar.flight.call.PutRoomTracer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The flow control of one DoPut: it passes batches to their receiver, and sends replies in order as
 * they become durable. It requests only a few more messages from the client, and only while the
 * engine's budget is likely to have room for them.
 *
 * <p>Invariant: at most {@code maxPending} messages are requested or being written, at most {@value
 * #MAX_REQUESTED} of them requested. The messages of the client come one at a time; answers come
 * from the engine's threads. Guarded by its lock, except for {@link #session}, which the incoming
 * side writes.
 */
final class PutStream implements StreamObserver<FlightData> {
    // One arrives while the one before it is written
    private static final int MAX_REQUESTED = 2;
    // Before a batch has shown how large they are
    private static final long FIRST_BATCH_BYTES = 64 << 10;

    private final ServerCallStreamObserver<PutResult> results;
    private final Function<FlightData, PutReceiver> opener;
    private final PutRoomTracer room;
    private final int maxPending;
    private final ThreadFactory threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<CompletableFuture<Optional<PutResult>>> pending = new ArrayDeque<>();
    private volatile @Nullable PutReceiver session; // written by the incoming side
    private int requested;
    private long batchBytes = FIRST_BATCH_BYTES; // of the latest one, as it came or as rows
    private boolean inputEnded;
    private boolean finishing;
    private volatile boolean ended;

    private PutStream(
            ServerCallStreamObserver<PutResult> results,
            Function<FlightData, PutReceiver> opener,
            PutRoomTracer room,
            int maxPending,
            ThreadFactory threads) {
        this.results = requireNonNull(results, "results is null");
        this.opener = requireNonNull(opener, "opener is null");
        this.room = requireNonNull(room, "room is null");
        this.maxPending = maxPending;
        this.threads = requireNonNull(threads, "threads is null");
    }

    /**
     * Begins to receive messages.
     *
     * @param threads starts the threads that continue when there is room
     * @param closed runs when nothing more can come
     */
    static PutStream start(
            ServerCallStreamObserver<PutResult> results,
            Function<FlightData, PutReceiver> opener,
            PutRoomTracer room,
            WriteRoom ofEngine,
            int maxPending,
            ThreadFactory threads,
            Consumer<PutStream> closed) {
        PutStream stream = new PutStream(results, opener, room, maxPending, threads);
        results.disableAutoRequest();
        results.setOnReadyHandler(stream::advance);
        results.setOnCancelHandler(stream::close);
        room.begin(
                ofEngine,
                stream::fail,
                () -> {
                    closed.accept(stream);
                    stream.close();
                });
        // The message with the schema, which is no batch
        stream.requested = 1;
        results.request(1);
        return stream;
    }

    @Override
    public void onNext(FlightData message) {
        try {
            long sizeBytes = room.takeMessage(sizeBytes(message));
            noteArrival();
            if (ended) {
                return;
            }
            PutReceiver receiver = session;
            if (receiver == null) {
                open(message);
                room.room().shrink(sizeBytes);
            } else if (message.dataHeader().hasRemaining()) {
                CompletableFuture<Optional<PutResult>> reply =
                        receiver.write(message, room.room(), sizeBytes);
                enqueue(reply, Math.max(sizeBytes, receiver.encodedBytes()));
                reply.whenComplete((done, failure) -> advance());
            } else {
                // Metadata alone: Stele has no use for it.
                room.room().shrink(sizeBytes);
            }
            advance();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void open(FlightData first) {
        PutReceiver receiver = opener.apply(first);
        session = receiver;
        if (receiver.takesNoBatches()) {
            onCompleted();
        }
        if (ended) {
            receiver.close(); // the end came while it was opened
        }
    }

    /** Ends the stream; its receiver aborts its work, or continues it without the stream. */
    private void close() {
        ended = true;
        PutReceiver receiver = session;
        if (receiver != null) {
            receiver.close();
        }
    }

    private static long sizeBytes(FlightData message) {
        return message.dataHeader().remaining()
                + message.appMetadata().remaining()
                + message.bodySizeBytes();
    }

    private void noteArrival() {
        lock.lock();
        try {
            requested--;
        } finally {
            lock.unlock();
        }
    }

    private void enqueue(CompletableFuture<Optional<PutResult>> reply, long sizeBytes) {
        lock.lock();
        try {
            pending.add(reply);
            batchBytes = sizeBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Replies to the finished batches at the head, and requests more. */
    private void advance() {
        lock.lock();
        try {
            finishOnce();
            CompletableFuture<Optional<PutResult>> head = pending.peek();
            while (!ended && head != null && head.isDone()) {
                pending.poll();
                if (head.isCompletedExceptionally()) {
                    fail(head.exceptionNow());
                    return;
                }
                head.resultNow().ifPresent(results::onNext);
                head = pending.peek();
            }
            requestMore();
            if (!ended && finishing && pending.isEmpty()) {
                ended = true;
                results.onCompleted();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Finishes the receiver once, when the client has sent everything and all batches are done. */
    private void finishOnce() {
        if (ended || !inputEnded || finishing || !areDone()) {
            return;
        }
        finishing = true;
        PutReceiver receiver = session;
        if (receiver != null) {
            CompletableFuture<Optional<PutResult>> last = receiver.finish();
            pending.add(last);
            last.whenComplete((done, failure) -> resume());
        }
    }

    private boolean areDone() {
        return pending.stream()
                .allMatch(reply -> reply.isDone() && !reply.isCompletedExceptionally());
    }

    private void requestMore() {
        // A client that reads no replies may send no more batches.
        while (!ended
                && !inputEnded
                && requested < MAX_REQUESTED
                && requested + pending.size() < maxPending
                && results.isReady()
                && isRoomForOneMore()) {
            requested++;
            results.request(1);
        }
    }

    private boolean isRoomForOneMore() {
        return requested == 0
                ? room.room().mayReceive(batchBytes, this::resume)
                : room.room().hasRoomFor((requested + 1) * batchBytes);
    }

    /**
     * Continues on another thread, because the caller, at the end of another write, must not wait
     * for this stream's lock.
     */
    private void resume() {
        threads.newThread(this::advance).start();
    }

    /** Ends the stream if its client sends a batch too slowly. */
    void failIfSlow(long nowNanos) {
        if (room.isTooSlow(nowNanos)) {
            fail(
                    new SteleException(
                            ErrorCode.UNAVAILABLE,
                            "Expected the rest of a batch of a DoPut, which has come too slowly for a minute"));
        }
    }

    private void fail(Throwable failure) {
        lock.lock();
        try {
            if (!ended) {
                ended = true;
                pending.clear();
                results.onError(CallFailures.describe("DoPut", failure));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onError(Throwable cancelled) {
        close();
    }

    @Override
    public void onCompleted() {
        lock.lock();
        try {
            inputEnded = true;
        } finally {
            lock.unlock();
        }
        advance();
    }
}
