package io.stele.sidecar.postgresql.trino;

import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.trino.client.QueryError;

/** Failures of Trino as those of PostgreSQL. Stateless. */
final class TrinoErrors {
    private TrinoErrors() {}

    static PostgresException of(QueryError error) {
        return new PostgresException(
                state(String.valueOf(error.getErrorName()), String.valueOf(error.getErrorType())),
                "Trino: " + error.getMessage());
    }

    /** Trino did not answer, or not as Trino does. */
    static PostgresException unreachable(RuntimeException failure) {
        return new PostgresException(
                SqlState.CANNOT_CONNECT_NOW,
                "Expected an answer of Trino, found: " + failure.getMessage());
    }

    private static SqlState state(String name, String type) {
        return switch (name) {
            case "SYNTAX_ERROR" -> SqlState.SYNTAX_ERROR;
            case "TABLE_NOT_FOUND" -> SqlState.UNDEFINED_TABLE;
            case "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "MISSING_SCHEMA_NAME" ->
                    SqlState.INVALID_SCHEMA_NAME;
            case "COLUMN_NOT_FOUND" -> SqlState.UNDEFINED_COLUMN;
            case "FUNCTION_NOT_FOUND" -> SqlState.UNDEFINED_FUNCTION;
            case "TYPE_MISMATCH" -> SqlState.DATATYPE_MISMATCH;
            case "NOT_SUPPORTED" -> SqlState.FEATURE_NOT_SUPPORTED;
            case "DIVISION_BY_ZERO" -> SqlState.DIVISION_BY_ZERO;
            case "INVALID_CAST_ARGUMENT", "INVALID_LITERAL" -> SqlState.INVALID_TEXT;
            case "NUMERIC_VALUE_OUT_OF_RANGE" -> SqlState.NUMERIC_OUT_OF_RANGE;
            case "CONSTRAINT_VIOLATION" -> SqlState.NOT_NULL_VIOLATION;
            case "TABLE_ALREADY_EXISTS", "SCHEMA_ALREADY_EXISTS", "ALREADY_EXISTS" ->
                    SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE;
            case "TRANSACTION_CONFLICT" -> SqlState.SERIALIZATION_FAILURE;
            case "USER_CANCELED" -> SqlState.QUERY_CANCELED;
            case "PERMISSION_DENIED" -> SqlState.INSUFFICIENT_PRIVILEGE;
            case "QUERY_QUEUE_FULL" -> SqlState.TOO_MANY_CONNECTIONS;
            default ->
                    switch (type) {
                        case "USER_ERROR" -> SqlState.INVALID_PARAMETER_VALUE;
                        case "INSUFFICIENT_RESOURCES" -> SqlState.OUT_OF_MEMORY;
                        default -> SqlState.INTERNAL_ERROR;
                    };
        };
    }
}
