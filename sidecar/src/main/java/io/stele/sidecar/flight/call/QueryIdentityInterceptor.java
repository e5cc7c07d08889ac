package io.stele.sidecar.flight.call;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.flight.QueryIdentityHeaders;
import java.util.Optional;

/**
 * A gRPC server interceptor that puts the query tag of a call's headers (user, source, resource
 * group, query id) in the gRPC context of the call.
 */
public final class QueryIdentityInterceptor implements ServerInterceptor {
    private static final Context.Key<QueryIdentity> IDENTITY = Context.key("stele-query-tag");

    /** The query identity of the present call; called on the call's thread. */
    public static QueryIdentity current() {
        QueryIdentity identity = IDENTITY.get();
        return identity == null ? QueryIdentity.NONE : identity;
    }

    /** The user of the present call, if its headers name one. */
    public static Optional<String> user() {
        return Optional.of(current().user()).filter(name -> !name.isEmpty());
    }

    /** A name, cut to the greatest length of a user's name. */
    static String shortened(String name) {
        return name.substring(0, Math.min(name.length(), QueryIdentity.MAX_LENGTH));
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return Contexts.interceptCall(
                Context.current().withValue(IDENTITY, identity(headers)), call, headers, next);
    }

    /**
     * A caller with the secret may act for others; a user of the password file acts only for
     * itself.
     */
    private static QueryIdentity identity(Metadata headers) {
        QueryIdentity named = QueryIdentityHeaders.get(headers);
        return AuthenticationInterceptor.find()
                .filter(user -> !user.hasSecret())
                .map(user -> named.withUser(shortened(user.name())))
                .orElse(named);
    }
}
