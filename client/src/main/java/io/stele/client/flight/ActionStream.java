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
 * The results of an action that returns a stream of them. One is requested at a time, so no more
 * than one is buffered. For one reader; {@link #close} is for any thread.
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
     * @throws SteleException what the stream failed with; UNAVAILABLE if nothing came in time
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

    /** Gives the stream up; does nothing at its end. */
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
