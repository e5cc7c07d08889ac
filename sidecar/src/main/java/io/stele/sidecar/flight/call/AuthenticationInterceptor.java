package io.stele.sidecar.flight.call;

import static java.util.Objects.requireNonNull;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightErrors;
import io.stele.protocol.flight.FlightMethods;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.auth.PendingLogins;
import java.util.Optional;

/**
 * A gRPC server interceptor that admits a Flight call only with the shared secret, or the password
 * of a user, in its {@code authorization} header. Older clients may send a token that {@code
 * Handshake} issued, in {@code auth-token-bin}, instead.
 *
 * <p>A {@code Handshake} with Basic credentials is answered with a token in the same header, as
 * stock Flight clients expect. A {@code Handshake} without the header is admitted, because the
 * handshake itself checks its payload, and logs its connection in by {@link #LOG_IN}. It has a
 * place among the pending logins, a deadline and a small maximum message size.
 */
public final class AuthenticationInterceptor implements ServerInterceptor {
    public static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<byte[]> AUTH_TOKEN =
            Metadata.Key.of("auth-token-bin", Metadata.BINARY_BYTE_MARSHALLER);
    public static final Context.Key<Boolean> AUTHENTICATED = Context.key("stele-authenticated");

    private static final Context.Key<AuthenticatedUser> USER =
            Context.key("stele-authenticated-user");

    /** Logs the connection of a {@code Handshake} without credentials in its headers in. */
    public static final Context.Key<Runnable> LOG_IN = Context.key("stele-log-in");

    private final Authenticator authenticator;
    private final PendingLogins logins;
    private final FlightConnections connections;

    public AuthenticationInterceptor(
            Authenticator authenticator, PendingLogins logins, FlightConnections connections) {
        this.authenticator = requireNonNull(authenticator, "authenticator is null");
        this.logins = requireNonNull(logins, "logins is null");
        this.connections = requireNonNull(connections, "connections is null");
    }

    /** The caller of the present call; on the call's thread. */
    public static AuthenticatedUser user() {
        return find().orElseThrow(() -> new IllegalStateException("Expected a login, found none"));
    }

    /** The caller of the present call; empty in a handshake. */
    static Optional<AuthenticatedUser> find() {
        return Optional.ofNullable(USER.get());
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        boolean handshake =
                call.getMethodDescriptor()
                        .getFullMethodName()
                        .equals(FlightMethods.HANDSHAKE.getFullMethodName());
        Optional<String> authorization = Optional.ofNullable(headers.get(AUTHORIZATION));
        if (handshake && authorization.isEmpty()) {
            return startLogin(call, headers, next);
        }
        AuthenticatedUser user;
        try {
            user = authenticate(authorization, Optional.ofNullable(headers.get(AUTH_TOKEN)));
            logIn(call);
        } catch (SteleException e) {
            call.close(FlightErrors.status(e), FlightErrors.trailers(e));
            return new ServerCall.Listener<>() {};
        }
        if (!handshake) {
            return Contexts.interceptCall(
                    Context.current().withValue(USER, user), call, headers, next);
        }
        String token = authenticator.issueToken(user);
        ServerCall<Q, R> answering =
                new SimpleForwardingServerCall<>(call) {
                    @Override
                    public void sendHeaders(Metadata responseHeaders) {
                        responseHeaders.put(AUTHORIZATION, "Bearer " + token);
                        super.sendHeaders(responseHeaders);
                    }
                };
        return Contexts.interceptCall(
                Context.current().withValue(AUTHENTICATED, true), answering, headers, next);
    }

    private <Q, R> ServerCall.Listener<Q> startLogin(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        EndableCall<Q, R> limited = new EndableCall<>(call);
        PendingLogins.Login login = logins.begin(limited::end);
        try {
            HandshakeSizeTracer.KEY
                    .get()
                    .limit(
                            () ->
                                    limited.end(
                                            new SteleException(
                                                    ErrorCode.INVALID_ARGUMENT,
                                                    "Expected a handshake of at most %s bytes, found more"
                                                            .formatted(
                                                                    FlightMethods
                                                                            .MAX_HANDSHAKE_BYTES))));
            Context context = Context.current().withValue(LOG_IN, () -> logIn(call));
            return new LoginListener<>(
                    Contexts.interceptCall(context, limited, headers, next), login);
        } catch (RuntimeException e) {
            login.close();
            throw e;
        }
    }

    /** gRPC calls exactly one of the two end methods for every call. */
    private static final class LoginListener<Q> extends SimpleForwardingServerCallListener<Q> {
        private final PendingLogins.Login login;

        LoginListener(ServerCall.Listener<Q> delegate, PendingLogins.Login login) {
            super(delegate);
            this.login = login;
        }

        @Override
        public void onCancel() {
            try {
                super.onCancel();
            } finally {
                login.close();
            }
        }

        @Override
        public void onComplete() {
            try {
                super.onComplete();
            } finally {
                login.close();
            }
        }
    }

    private void logIn(ServerCall<?, ?> call) {
        connections.logIn(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    }

    private AuthenticatedUser authenticate(Optional<String> authorization, Optional<byte[]> token) {
        if (authorization.isEmpty() && token.isPresent()) {
            return authenticator.authenticateUserToken(
                    new String(token.get(), java.nio.charset.StandardCharsets.UTF_8));
        }
        return authenticator.authenticateUser(authorization);
    }
}
