package io.stele.sidecar.flight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.grpc.stub.StreamObserver;
import io.stele.protocol.flight.BasicAuth;
import io.stele.protocol.flight.Handshake;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.auth.Authenticator;
import io.stele.sidecar.flight.call.AuthenticationInterceptor;
import java.util.Base64;
import java.util.Optional;

/**
 * The implementation of Flight's Handshake, by which stock clients exchange user and password for a
 * token. Newer clients send them in headers, which {@link AuthenticationInterceptor} has checked,
 * older ones in the payload. A payload with the secret, or with the password of a user, logs the
 * connection in; any other payload does not. Thread safe.
 */
final class HandshakeService {
    private final Authenticator authenticator;

    HandshakeService(Authenticator authenticator) {
        this.authenticator = requireNonNull(authenticator, "authenticator is null");
    }

    StreamObserver<Handshake> handshake(StreamObserver<Handshake> replies) {
        boolean authenticated = Boolean.TRUE.equals(AuthenticationInterceptor.AUTHENTICATED.get());
        Runnable logIn = AuthenticationInterceptor.LOG_IN.get(); // none: it has logged in
        return new StreamObserver<>() {
            private boolean answered;

            @Override
            public void onNext(Handshake request) {
                if (!authenticated && !answered) {
                    answered = true;
                    answer(request, requireNonNull(logIn, "logIn is null"), replies);
                }
            }

            @Override
            public void onError(Throwable cancelled) {
                // The client has gone; there is nothing to end.
            }

            @Override
            public void onCompleted() {
                if (authenticated) {
                    replies.onNext(new Handshake(0, new byte[0]));
                    replies.onCompleted();
                } else if (!answered) {
                    replies.onError(CallFailures.describe("Handshake", refusal()));
                }
            }
        };
    }

    private void answer(Handshake request, Runnable logIn, StreamObserver<Handshake> replies) {
        try {
            BasicAuth basic = BasicAuth.decode(request.payload());
            byte[] pair = (basic.username() + ":" + basic.password()).getBytes(UTF_8);
            AuthenticatedUser user =
                    authenticator.authenticateUser(
                            Optional.of("Basic " + Base64.getEncoder().encodeToString(pair)));
            logIn.run();
            replies.onNext(
                    new Handshake(
                            request.protocolVersion(),
                            authenticator.issueToken(user).getBytes(UTF_8)));
            replies.onCompleted();
        } catch (RuntimeException e) {
            replies.onError(CallFailures.describe("Handshake", e));
        }
    }

    private RuntimeException refusal() {
        try {
            var unused = authenticator.authenticateUser(Optional.empty());
        } catch (RuntimeException e) {
            return e;
        }
        throw new IllegalStateException("No credentials were accepted");
    }
}
