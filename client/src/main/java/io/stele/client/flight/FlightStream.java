package io.stele.client.flight;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.ReadCounters;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightErrors;
import io.stele.protocol.flight.ReadCountersTrailer;
import io.stele.protocol.flight.Ticket;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The client side of one Flight DoGet: the received messages in order, the schema first, for a
 * reader that blocks or polls. At most {@value #WINDOW} messages are requested ahead of the reader,
 * which bounds the memory for any sender. Guarded by its own lock; for one reader.
 */
public final class FlightStream implements AutoCloseable {
    // 4: the network stays busy while the reader works on one batch.
    private static final int WINDOW = 4;

    private final ClientCall<Ticket, FlightData> call;
    private final String where;
    private final Object lock = new Object();
    private final ArrayDeque<FlightData> received = new ArrayDeque<>();
    private CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();
    private boolean ended;
    private @Nullable SteleException failure;
    private Optional<ReadCounters> readCounters = Optional.empty();

    private FlightStream(ClientCall<Ticket, FlightData> call, String where) {
        this.call = call;
        this.where = where;
    }

    static FlightStream start(
            ClientCall<Ticket, FlightData> call, Ticket ticket, Metadata headers, String where) {
        FlightStream stream = new FlightStream(call, where);
        call.start(stream.new Receiver(), headers);
        call.request(WINDOW);
        call.sendMessage(ticket);
        call.halfClose();
        return stream;
    }

    /** A future that completes when {@link #poll} has a message or {@link #isFinished} is true. */
    public CompletableFuture<@Nullable Void> whenReady() {
        synchronized (lock) {
            return ready;
        }
    }

    /**
     * The next message, if it was received.
     *
     * @throws SteleException the failure of the stream, after all messages before it were polled
     */
    public Optional<FlightData> poll() {
        FlightData next;
        synchronized (lock) {
            next = received.poll();
            if (next == null) {
                if (failure != null) {
                    // A new exception, with the reader's stack trace; the cause has the time to
                    // wait.
                    throw new SteleException(
                            failure.code(), String.valueOf(failure.getMessage()), failure);
                }
                return Optional.empty();
            }
            if (received.isEmpty() && !ended) {
                ready = new CompletableFuture<>();
            }
        }
        call.request(1);
        return Optional.of(next);
    }

    /** Whether every message was polled and the stream has ended. */
    public boolean isFinished() {
        synchronized (lock) {
            return ended && failure == null && received.isEmpty();
        }
    }

    /**
     * The requests and bytes with which the service read the rows; empty before the end of the
     * stream, and if an older service does not count them.
     */
    public Optional<ReadCounters> readCounters() {
        synchronized (lock) {
            return readCounters;
        }
    }

    /**
     * Waits for the next message; empty at the end.
     *
     * @throws SteleException the failure of the stream; INTERNAL if interrupted
     */
    public Optional<FlightData> next() {
        while (true) {
            Optional<FlightData> next = poll();
            if (next.isPresent() || isFinished()) {
                return next;
            }
            try {
                whenReady().get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                close();
                throw new SteleException(
                        ErrorCode.INTERNAL, "Interrupted while reading from " + where, e);
            } catch (ExecutionException e) {
                throw new IllegalStateException("The ready future never fails", e);
            }
        }
    }

    /** Cancels the stream; does nothing after its end. */
    @Override
    public void close() {
        synchronized (lock) {
            if (ended) {
                received.clear();
                return;
            }
        }
        call.cancel("closed by its reader", null);
    }

    private final class Receiver extends ClientCall.Listener<FlightData> {
        @Override
        public void onMessage(FlightData message) {
            CompletableFuture<@Nullable Void> waiting;
            synchronized (lock) {
                received.add(message);
                waiting = ready;
            }
            waiting.complete(null);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            CompletableFuture<@Nullable Void> waiting;
            synchronized (lock) {
                ended = true;
                readCounters = ReadCountersTrailer.find(trailers);
                if (!status.isOk()) {
                    failure = FlightErrors.toSteleException(status, trailers, where);
                }
                waiting = ready;
            }
            waiting.complete(null);
        }
    }
}
