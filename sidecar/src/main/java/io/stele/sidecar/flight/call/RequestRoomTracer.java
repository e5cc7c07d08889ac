package io.stele.sidecar.flight.call;

import static java.util.Objects.requireNonNull;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.stele.engine.node.WriteRoom;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightMethods;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC stream tracer that counts the request of a call in the engine's budget of received bytes,
 * from its bytes beyond {@value #FREE_BYTES} on, as gRPC gathers them. A call whose request finds
 * no room is refused. Small requests need none: a commit must come through where staged rows fill
 * the budget.
 *
 * <p>Bytes come on the transport's thread. Invariant: the room is held until the end of the call.
 */
public final class RequestRoomTracer extends ServerStreamTracer {
    static final Context.Key<RequestRoomTracer> KEY = Context.key("stele-request-room");

    /** Requests are smaller, but for predicates of many values and commits of many files. */
    static final int FREE_BYTES = 64 << 10;

    private static final ServerStreamTracer OTHER = new ServerStreamTracer() {};

    private volatile @Nullable WriteRoom room;
    private volatile Consumer<SteleException> refused = busy -> {};
    private volatile boolean ended;
    private long receivedBytes;

    /**
     * Begins to count, before the message is requested.
     *
     * @param refused runs when there is no room for the bytes that have come
     */
    void begin(WriteRoom room, Consumer<SteleException> refused) {
        this.refused = requireNonNull(refused, "refused is null");
        this.room = requireNonNull(room, "room is null");
        if (ended) {
            room.close();
        }
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(KEY, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
        WriteRoom present = room;
        if (present == null) {
            return;
        }
        long before = counted();
        receivedBytes += bytes;
        if (counted() > before) {
            present.grow(counted() - before, before).ifPresent(refused);
        }
    }

    private long counted() {
        return Math.max(0, receivedBytes - FREE_BYTES);
    }

    @Override
    public void streamClosed(Status status) {
        ended = true;
        WriteRoom present = room;
        if (present != null) {
            present.close();
        }
    }

    /** A factory for all calls but DoPut and Handshake, which have their own tracers. */
    public static final class Factory extends ServerStreamTracer.Factory {
        @Override
        public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
            return fullMethodName.equals(FlightMethods.DO_PUT.getFullMethodName())
                            || fullMethodName.equals(FlightMethods.HANDSHAKE.getFullMethodName())
                    ? OTHER
                    : new RequestRoomTracer();
        }
    }
}
