package io.stele.sidecar.flight;

import io.airlift.log.Logger;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.protocol.flight.FlightErrors;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;

/**
 * The mapping of failures of statements to gRPC statuses, with the five-character state of
 * PostgreSQL in a trailer.
 */
final class SqlFailures {
    private static final Logger log = Logger.get(SqlFailures.class);

    /** Trailer with the state. */
    static final Metadata.Key<String> STATE =
            Metadata.Key.of("stele-sql-state", Metadata.ASCII_STRING_MARSHALLER);

    private SqlFailures() {}

    static StatusRuntimeException describe(String method, PostgresException failure) {
        Status.Code code = code(failure.state());
        if (code == Status.Code.INTERNAL) {
            log.error(failure, "%s failed", method);
        }
        Metadata trailers = new Metadata();
        trailers.put(STATE, failure.state().code());
        String message =
                failure.hint()
                        .map(hint -> failure.getMessage() + ". " + hint)
                        .orElse(failure.getMessage());
        return Status.fromCode(code)
                .withDescription(FlightErrors.shortened(message))
                .withCause(failure)
                .asRuntimeException(trailers);
    }

    private static Status.Code code(SqlState state) {
        return switch (state) {
            case FEATURE_NOT_SUPPORTED -> Status.Code.UNIMPLEMENTED;
            case UNDEFINED_TABLE,
                    INVALID_SCHEMA_NAME,
                    INVALID_STATEMENT_NAME,
                    INVALID_CURSOR_NAME,
                    NO_ACTIVE_TRANSACTION ->
                    Status.Code.NOT_FOUND;
            case UNIQUE_VIOLATION -> Status.Code.ALREADY_EXISTS;
            case FAILED_TRANSACTION,
                    ACTIVE_TRANSACTION,
                    READ_ONLY_TRANSACTION,
                    OBJECT_NOT_IN_PREREQUISITE_STATE ->
                    Status.Code.FAILED_PRECONDITION;
            case SERIALIZATION_FAILURE -> Status.Code.ABORTED;
            case QUERY_CANCELED -> Status.Code.CANCELLED;
            case TOO_MANY_CONNECTIONS, OUT_OF_MEMORY -> Status.Code.RESOURCE_EXHAUSTED;
            case INSUFFICIENT_PRIVILEGE -> Status.Code.PERMISSION_DENIED;
            case INVALID_AUTHORIZATION, INVALID_PASSWORD -> Status.Code.UNAUTHENTICATED;
            case ADMIN_SHUTDOWN, CANNOT_CONNECT_NOW, CONNECTION_DOES_NOT_EXIST ->
                    Status.Code.UNAVAILABLE;
            case DATA_CORRUPTED -> Status.Code.DATA_LOSS;
            case OUTCOME_UNKNOWN, IO_ERROR, INTERNAL_ERROR -> Status.Code.INTERNAL;
            default -> Status.Code.INVALID_ARGUMENT;
        };
    }
}
