package io.stele.client.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.flight.ActionResult;
import io.stele.protocol.flight.FlightAction;
import io.stele.protocol.flight.FlightErrors;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A blocking reader of the results of a Flight action that returns a stream, such as a watch of
 * metadata changes. It requests one result at a time, so at most one is buffered. For one reader;
 * any thread may call {@link #close}.
 */
public final class ActionStream<T> implements AutoCloseable {
    private final ClientCall<FlightAction, ActionResult> call;
    private final Class<T> resultType;
    private final String where;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>(); // a result and the end

    private ActionStream(
            ClientCall<FlightAction, ActionResult> call, Class<T> resultType, String where) {
        this.call = call;
        this.resultType = resultType;
        this.where = where;
    }

    static <T> ActionStream<T> start(
            ClientCall<FlightAction, ActionResult> call,
            FlightAction action,
            Class<T> resultType,
            String where) {
        ActionStream<T> stream = new ActionStream<>(call, resultType, where);
        call.start(stream.new Receiver(), new Metadata());
        call.request(1);
        call.sendMessage(action);
        call.halfClose();
        return stream;
    }

    /**
     * The next result; empty if the service ended the stream.
     *
     * @throws SteleException the failure of the stream; UNAVAILABLE if no result arrived in time
     */
    public Optional<T> next(Duration timeout) throws InterruptedException {
        Event event = events.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (event == null) {
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "Expected a message of %s within %s, found none".formatted(where, timeout));
        }
        if (event.failure.isPresent()) {
            throw event.failure.get();
        }
        event.result.ifPresent(result -> call.request(1));
        return event.result.map(result -> ApiJson.read(result.body(), resultType));
    }

    /** Cancels the stream; does nothing after its end. */
    @Override
    public void close() {
        call.cancel("closed by its reader", null);
    }

    /** A result, a failure, or the end. */
    private record Event(Optional<ActionResult> result, Optional<SteleException> failure) {
        Event {
            requireNonNull(result, "result is null");
            requireNonNull(failure, "failure is null");
        }
    }

    private final class Receiver extends ClientCall.Listener<ActionResult> {
        @Override
        public void onMessage(ActionResult message) {
            events.add(new Event(Optional.of(message), Optional.empty()));
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            events.add(
                    new Event(
                            Optional.empty(),
                            status.isOk()
                                    ? Optional.empty()
                                    : Optional.of(
                                            FlightErrors.toSteleException(
                                                    status, trailers, where))));
        }
    }
}
