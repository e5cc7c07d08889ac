package io.stele.sidecar.flight.call;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightErrors;
import java.util.Optional;

/**
 * A gRPC server interceptor of the header {@code stele-read-lsn}: a call sees every write at or
 * below this LSN, or is refused. A client that carries the LSN of its last write from call to call
 * reads its own writes, also those made through another port.
 */
public final class ReadLsnInterceptor implements ServerInterceptor {
    static final Metadata.Key<String> READ_LSN =
            Metadata.Key.of("stele-read-lsn", Metadata.ASCII_STRING_MARSHALLER);

    private static final Context.Key<Lsn> AT_LEAST = Context.key("stele-read-lsn");

    /** The later one of the header of the present call and another LSN; on the call's thread. */
    public static Optional<Lsn> latest(Optional<Lsn> other) {
        Lsn header = AT_LEAST.get();
        boolean isLater = header != null && (other.isEmpty() || header.compareTo(other.get()) > 0);
        return isLater ? Optional.of(header) : other;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        String text = headers.get(READ_LSN);
        if (text == null) {
            return next.startCall(call, headers);
        }
        Lsn lsn;
        try {
            lsn = parse(text);
        } catch (SteleException e) {
            call.close(FlightErrors.status(e), FlightErrors.trailers(e));
            return new ServerCall.Listener<>() {};
        }
        return Contexts.interceptCall(
                Context.current().withValue(AT_LEAST, lsn), call, headers, next);
    }

    private static Lsn parse(String text) {
        try {
            return new Lsn(Long.parseLong(text.strip()));
        } catch (IllegalArgumentException e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an LSN >= 0 in the header stele-read-lsn, found '" + text + "'",
                    e);
        }
    }
}
