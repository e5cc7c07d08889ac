package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.PutReply;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.PutResult;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One DoPut: takes batches, answers them in their order as they become durable, and requests only a
 * few more from the client.
 *
 * <p>Invariant: each of {@code maxPending} slots is requested, being written, or answered and not
 * yet requested again. The messages of the client come one at a time; answers come from the
 * engine's threads. Guarded by its lock, except for {@link #session}, which belongs to the incoming
 * side.
 */
final class PutStream implements StreamObserver<FlightData> {
    private final ServerCallStreamObserver<PutResult> results;
    private final Function<FlightData, PutSession> opener;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<CompletableFuture<PutReply>> pending = new ArrayDeque<>();
    private @Nullable PutSession session;
    private int owedRequests;
    private boolean inputEnded;
    private volatile boolean ended;

    PutStream(
            ServerCallStreamObserver<PutResult> results,
            Function<FlightData, PutSession> opener,
            int maxPending) {
        this.results = requireNonNull(results, "results is null");
        this.opener = requireNonNull(opener, "opener is null");
        results.disableAutoRequest();
        results.setOnReadyHandler(this::advance);
        results.setOnCancelHandler(() -> ended = true);
        // One more for the message with the schema, which is no batch.
        results.request(maxPending + 1);
    }

    @Override
    public void onNext(FlightData message) {
        if (ended) {
            return;
        }
        try {
            if (session == null) {
                session = opener.apply(message);
            } else if (message.dataHeader().hasRemaining()) {
                CompletableFuture<PutReply> reply = session.write(message);
                enqueue(reply);
                reply.whenComplete((done, failure) -> advance());
            } else {
                // Metadata alone: Stele has no use for it.
                giveBackRequest();
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void enqueue(CompletableFuture<PutReply> reply) {
        lock.lock();
        try {
            pending.add(reply);
        } finally {
            lock.unlock();
        }
    }

    private void giveBackRequest() {
        lock.lock();
        try {
            owedRequests++;
        } finally {
            lock.unlock();
        }
        advance();
    }

    /** Answers the finished batches at the head, and requests as many again. */
    private void advance() {
        lock.lock();
        try {
            CompletableFuture<PutReply> head = pending.peek();
            while (!ended && head != null && head.isDone()) {
                pending.poll();
                if (head.isCompletedExceptionally()) {
                    fail(head.exceptionNow());
                    return;
                }
                results.onNext(new PutResult(ApiJson.write(head.resultNow())));
                owedRequests++;
                head = pending.peek();
            }
            // A client that reads no answers gets to send no more batches.
            if (!ended && !inputEnded && owedRequests > 0 && results.isReady()) {
                results.request(owedRequests);
                owedRequests = 0;
            }
            if (!ended && inputEnded && pending.isEmpty()) {
                ended = true;
                results.onCompleted();
            }
        } finally {
            lock.unlock();
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
        ended = true;
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
