package io.stele.sidecar.flight;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.QueryTag;
import io.stele.protocol.flight.QueryTagHeaders;
import java.util.Optional;

/**
 * A gRPC server interceptor that puts the query tag of a call's headers (user, source, resource
 * group) in the gRPC context of the call.
 */
final class QueryTagInterceptor implements ServerInterceptor {
    private static final Context.Key<QueryTag> TAG = Context.key("stele-query-tag");

    /** Of the present call; on the call's thread. */
    static QueryTag current() {
        QueryTag tag = TAG.get();
        return tag == null ? QueryTag.NONE : tag;
    }

    /** The user of the present call, if its headers name one. */
    static Optional<String> user() {
        return Optional.of(current().user()).filter(name -> !name.isEmpty());
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return Contexts.interceptCall(
                Context.current().withValue(TAG, QueryTagHeaders.get(headers)),
                call,
                headers,
                next);
    }
}
