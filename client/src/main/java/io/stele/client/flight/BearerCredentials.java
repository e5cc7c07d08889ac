package io.stele.client.flight;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.stele.client.auth.TokenSource;

/** A gRPC client interceptor that adds a bearer token to every call. Thread-safe. */
final class BearerCredentials implements ClientInterceptor {
    static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final TokenSource tokens;

    BearerCredentials(TokenSource tokens) {
        this.tokens = tokens;
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel channel) {
        return new SimpleForwardingClientCall<>(channel.newCall(method, options)) {
            @Override
            public void start(Listener<R> listener, Metadata headers) {
                headers.put(AUTHORIZATION, tokens.bearer());
                super.start(listener, headers);
            }
        };
    }
}
