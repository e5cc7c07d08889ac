package io.stele.sidecar.flight.call;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.stele.protocol.QueryIdentity;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.flight.sql.SqlCaller;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A gRPC server interceptor that puts the caller of Flight SQL in the context of its calls: the
 * user who has authenticated, and the schema that its header names.
 */
public final class SqlCallerInterceptor implements ServerInterceptor {
    /**
     * The header of the search path. JDBC sends unknown parameters of its URL as headers, ADBC its
     * {@code call_header}s.
     */
    private static final Metadata.Key<String> SCHEMA =
            Metadata.Key.of("schema", Metadata.ASCII_STRING_MARSHALLER);

    private static final List<String> DEFAULT_PATH = List.of("public");
    private static final int MAX_SCHEMA_LENGTH = 1_024;
    private static final Context.Key<List<String>> PATH =
            Context.keyWithDefault("stele-sql-path", DEFAULT_PATH);

    /** The caller of the present call; called on the call's thread. */
    public static SqlCaller current() {
        AuthenticatedUser user = AuthenticationInterceptor.user();
        QueryIdentity identity = QueryIdentityInterceptor.current();
        return new SqlCaller(
                user,
                identity.user().isEmpty()
                        ? identity.withUser(QueryIdentityInterceptor.shortened(user.name()))
                        : identity,
                PATH.get());
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Optional<List<String>> path = Optional.ofNullable(headers.get(SCHEMA)).map(this::path);
        return path.isEmpty() || path.get().isEmpty()
                ? next.startCall(call, headers)
                : Contexts.interceptCall(
                        Context.current().withValue(PATH, path.get()), call, headers, next);
    }

    private List<String> path(String schemas) {
        return schemas.length() > MAX_SCHEMA_LENGTH
                ? List.of()
                : Arrays.stream(schemas.split(","))
                        .map(String::strip)
                        .filter(schema -> !schema.isEmpty())
                        .toList();
    }
}
