package io.stele.sidecar.flight.call;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightErrors;
import io.stele.protocol.flight.StatementIdHeader;
import java.util.Optional;
import java.util.UUID;

/**
 * A gRPC server interceptor that puts the statement id of a call's headers in the gRPC context of
 * the call.
 */
public final class StatementIdInterceptor implements ServerInterceptor {
    private static final Context.Key<Optional<UUID>> ID =
            Context.keyWithDefault("stele-statement-id", Optional.empty());

    /** The statement id of the present call; called on the call's thread. */
    public static Optional<UUID> current() {
        return ID.get();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Optional<UUID> id;
        try {
            id = StatementIdHeader.get(headers);
        } catch (SteleException malformed) {
            call.close(FlightErrors.status(malformed), FlightErrors.trailers(malformed));
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(Context.current().withValue(ID, id), call, headers, next);
    }
}
