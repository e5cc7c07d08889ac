package io.stele.sidecar.flight.call;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.stele.protocol.flight.FlightMethods;

/**
 * A gRPC stream tracer that limits the bytes of an unauthenticated {@code Handshake}, also within a
 * message that is not complete. gRPC has one message limit for all methods, and would buffer as
 * much as a batch.
 *
 * <p>Confined to the transport's thread, except for its creation.
 */
public final class HandshakeSizeTracer extends ServerStreamTracer {
    static final Context.Key<HandshakeSizeTracer> KEY = Context.key("stele-handshake-size");

    private static final ServerStreamTracer UNLIMITED = new ServerStreamTracer() {};

    private volatile Runnable tooLarge = () -> {};
    private long receivedBytes;

    /** Sets the limit: {@code tooLarge} runs when more bytes come than a handshake may have. */
    void limit(Runnable tooLarge) {
        this.tooLarge = tooLarge;
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(KEY, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
        receivedBytes += bytes;
        if (receivedBytes > FlightMethods.MAX_HANDSHAKE_BYTES) {
            tooLarge.run();
        }
    }

    /** Watches the calls of Handshake alone. */
    public static final class Factory extends ServerStreamTracer.Factory {
        @Override
        public ServerStreamTracer newServerStreamTracer(String fullMethodName, Metadata headers) {
            return fullMethodName.equals(FlightMethods.HANDSHAKE.getFullMethodName())
                    ? new HandshakeSizeTracer()
                    : UNLIMITED;
        }
    }
}
