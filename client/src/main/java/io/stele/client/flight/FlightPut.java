package io.stele.client.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.flight.FlightErrors;
import io.stele.protocol.flight.PutResult;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The client side of one Flight DoPut, a stream of a schema and batches to a sidecar, with one
 * {@link PutReply} for each batch, in order. Sending blocks while {@value #MAX_UNANSWERED} batches
 * are unanswered or the network is full, so memory is bounded. Guarded by its own lock; for one
 * sender.
 */
public final class FlightPut implements AutoCloseable {
    // 16: enough to keep a group commit busy; more only adds memory.
    private static final int MAX_UNANSWERED = 16;

    private final ClientCall<FlightData, PutResult> call;
    private final String where;
    private final Object lock = new Object();
    private final ArrayDeque<CompletableFuture<PutReply>> unanswered = new ArrayDeque<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private boolean halfClosed; // of the sender's thread
    private boolean ended;
    private @Nullable SteleException failure;

    private FlightPut(ClientCall<FlightData, PutResult> call, String where) {
        this.call = call;
        this.where = where;
    }

    static FlightPut start(ClientCall<FlightData, PutResult> call, String where) {
        FlightPut put = new FlightPut(call, where);
        call.start(put.new Receiver(), new Metadata());
        call.request(MAX_UNANSWERED + 1);
        return put;
    }

    /** Sends the first message, descriptor and schema, which has no reply. */
    public void sendSchema(FlightDescriptor descriptor, FlightData schema) {
        awaitRoom();
        call.sendMessage(schema.withDescriptor(requireNonNull(descriptor, "descriptor is null")));
    }

    /**
     * Sends a batch; the future completes with its reply, or fails with a {@link SteleException}.
     *
     * @throws SteleException the failure of the stream; INTERNAL if interrupted
     */
    public CompletableFuture<PutReply> sendBatch(FlightData batch) {
        CompletableFuture<PutReply> reply = new CompletableFuture<>();
        awaitRoom();
        synchronized (lock) {
            checkOpen();
            unanswered.add(reply);
        }
        call.sendMessage(batch);
        return reply;
    }

    /** Ends the stream without a wait for the replies; {@link #finish} must follow. */
    public void end() {
        synchronized (lock) {
            checkOpen();
        }
        halfClosed = true;
        call.halfClose();
    }

    /** Ends the stream, unless {@link #end} did, and waits for all replies. */
    public void finish() {
        if (!halfClosed) {
            end();
        }
        try {
            closed.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new SteleException(
                    ErrorCode.INTERNAL, "Interrupted while writing to " + where, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("The closed future never fails", e);
        }
        synchronized (lock) {
            if (failure != null) {
                throw rethrown(failure);
            }
        }
    }

    /** Cancels the stream if it is not finished; unanswered batches may or may not be applied. */
    @Override
    public void close() {
        synchronized (lock) {
            if (ended) {
                return;
            }
        }
        call.cancel("closed by its writer", null);
    }

    private void awaitRoom() {
        synchronized (lock) {
            while (!ended && (unanswered.size() >= MAX_UNANSWERED || !call.isReady())) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new SteleException(
                            ErrorCode.INTERNAL, "Interrupted while writing to " + where, e);
                }
            }
            checkOpen();
        }
    }

    private void checkOpen() {
        if (failure != null) {
            throw rethrown(failure);
        }
        if (ended) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "The sidecar " + where + " ended the stream early");
        }
    }

    private static SteleException rethrown(SteleException failure) {
        return new SteleException(failure.code(), String.valueOf(failure.getMessage()), failure);
    }

    private final class Receiver extends ClientCall.Listener<PutResult> {
        @Override
        public void onMessage(PutResult message) {
            CompletableFuture<PutReply> reply;
            synchronized (lock) {
                reply = unanswered.poll();
                lock.notifyAll();
            }
            call.request(1);
            if (reply == null) {
                call.cancel("more replies than batches", null);
                return;
            }
            try {
                reply.complete(ApiJson.read(message.appMetadata(), PutReply.class));
            } catch (SteleException e) {
                reply.completeExceptionally(e);
            }
        }

        @Override
        public void onReady() {
            synchronized (lock) {
                lock.notifyAll();
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            ArrayDeque<CompletableFuture<PutReply>> left;
            SteleException cause;
            synchronized (lock) {
                ended = true;
                left = new ArrayDeque<>(unanswered);
                unanswered.clear();
                cause =
                        status.isOk()
                                ? new SteleException(
                                        ErrorCode.INTERNAL,
                                        "The sidecar " + where + " left batches unanswered")
                                : FlightErrors.toSteleException(status, trailers, where);
                if (!status.isOk() || !left.isEmpty()) {
                    failure = cause;
                }
                lock.notifyAll();
            }
            closed.complete(null);
            left.forEach(reply -> reply.completeExceptionally(cause));
        }
    }
}
