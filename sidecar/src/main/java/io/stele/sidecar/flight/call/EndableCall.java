package io.stele.sidecar.flight.call;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightErrors;

/**
 * A gRPC call that any thread can end; later replies of its service have no effect. Thread safe.
 */
final class EndableCall<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private volatile boolean closed; // written under the lock of this

    EndableCall(ServerCall<Q, R> delegate) {
        super(delegate);
    }

    /** Ends the call as failed unless it has ended. */
    void end(SteleException reason) {
        close(FlightErrors.status(reason), FlightErrors.trailers(reason));
    }

    /** Whether the call has ended, so that no work for it is needed any more. */
    boolean hasEnded() {
        return closed;
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
        if (!closed) {
            super.sendHeaders(headers);
        }
    }

    @Override
    public synchronized void sendMessage(R message) {
        if (!closed) {
            super.sendMessage(message);
        }
    }

    @Override
    public synchronized void close(Status status, Metadata trailers) {
        if (!closed) {
            closed = true;
            super.close(status, trailers);
        }
    }
}
