package io.stele.client.flight;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightErrors;
import io.stele.protocol.flight.Ticket;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a DoGet in order, the schema first. At most {@value #WINDOW} messages are
 * requested ahead of the reader, which bounds the memory for every sender. Guarded by its own lock;
 * for one reader.
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

    /** Completes when {@link #poll} has a message or {@link #isFinished} is true. */
    public CompletableFuture<@Nullable Void> whenReady() {
        synchronized (lock) {
            return ready;
        }
    }

    /**
     * The next message if it is here.
     *
     * @throws SteleException what the stream failed with, once everything before it has been taken
     */
    public Optional<FlightData> poll() {
        FlightData next;
        synchronized (lock) {
            next = received.poll();
            if (next == null) {
                if (failure != null) {
                    // Of the reader's own, for its stack trace; what to wait comes with the cause.
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

    /** Whether every message has been taken and no more come. */
    public boolean isFinished() {
        synchronized (lock) {
            return ended && failure == null && received.isEmpty();
        }
    }

    /**
     * Waits for the next message; empty at the end.
     *
     * @throws SteleException what the stream failed with; INTERNAL when interrupted
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

    /** Gives up what was not read; does nothing at the end. */
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
                if (!status.isOk()) {
                    failure = FlightErrors.toSteleException(status, trailers, where);
                }
                waiting = ready;
            }
            waiting.complete(null);
        }
    }
}
