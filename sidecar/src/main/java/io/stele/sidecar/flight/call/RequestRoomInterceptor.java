package io.stele.sidecar.flight.call;

import static java.util.Objects.requireNonNull;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.SteleException;
import java.net.SocketAddress;
import java.util.function.Supplier;

/**
 * A gRPC server interceptor that gives calls their {@link RequestRoomTracer}, and the way to end
 * their connection. Thread-safe.
 */
public final class RequestRoomInterceptor implements ServerInterceptor {
    private static final Context.Key<Runnable> END_CONNECTION =
            Context.keyWithDefault("stele-end-connection", () -> {});

    private final Supplier<WriteRoom> rooms;
    private final FlightConnections connections;

    /**
     * @param rooms returns empty rooms of the engine; throws a {@link SteleException} while it is
     *     not open
     */
    public RequestRoomInterceptor(Supplier<WriteRoom> rooms, FlightConnections connections) {
        this.connections = requireNonNull(connections, "connections is null");
        this.rooms = requireNonNull(rooms, "rooms is null");
    }

    /** Ends the connection of the present call, with all its calls. */
    public static Runnable endConnection() {
        return END_CONNECTION.get();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        RequestRoomTracer room = RequestRoomTracer.KEY.get();
        if (room == null) {
            return next.startCall(call, headers);
        }
        EndableCall<Q, R> refusable = new EndableCall<>(call);
        try {
            room.begin(rooms.get(), refusable::end);
        } catch (SteleException notOpen) {
            refusable.end(notOpen);
            return new ServerCall.Listener<>() {};
        }
        SocketAddress client = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        Context context =
                Context.current().withValue(END_CONNECTION, () -> connections.end(client));
        return new Unrefused<>(
                Contexts.interceptCall(context, refusable, headers, next), refusable);
    }

    /**
     * Passes a request on unless it was refused. The transport goes on to deliver what it had
     * received by then, and an action that was refused as BUSY must not have any effect.
     */
    private static final class Unrefused<Q> extends SimpleForwardingServerCallListener<Q> {
        private final EndableCall<Q, ?> call;

        Unrefused(ServerCall.Listener<Q> delegate, EndableCall<Q, ?> call) {
            super(delegate);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            if (!call.hasEnded()) {
                super.onMessage(message);
            }
        }

        @Override
        public void onHalfClose() {
            if (!call.hasEnded()) {
                super.onHalfClose();
            }
        }
    }
}
