package io.stele.connector.error;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.trino.spi.ErrorCodeSupplier;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * The translation of Stele's failures into Trino exceptions, for the whole connector. Stateless.
 */
public final class SteleErrors {
    private SteleErrors() {}

    /**
     * Runs an action and translates its {@link SteleException} into the Trino exception of the same
     * meaning.
     */
    public static <T> T translated(Supplier<T> action) {
        try {
            return action.get();
        } catch (SteleException e) {
            throw translate(e);
        }
    }

    public static TrinoException translate(SteleException failure) {
        return new TrinoException(
                codeOf(failure.code()), String.valueOf(failure.getMessage()), failure);
    }

    /** The error of a failed read or write of a warehouse object, naming the object. */
    public static TrinoException storeFailed(String what, String path, IOException cause) {
        return new TrinoException(
                SteleErrorCode.STELE_STORE_FAILED,
                "Cannot %s %s of the Stele warehouse: %s".formatted(what, path, cause.getMessage()),
                cause);
    }

    /** Any failure of an asynchronous call, without the wrappers that carried it. */
    public static RuntimeException unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return switch (cause) {
            case SteleException stele -> translate(stele);
            case RuntimeException other -> other;
            default -> new TrinoException(SteleErrorCode.STELE_INTERNAL, cause);
        };
    }

    private static ErrorCodeSupplier codeOf(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> StandardErrorCode.INVALID_ARGUMENTS;
            case TYPE_MISMATCH -> StandardErrorCode.TYPE_MISMATCH;
            case COLUMN_NOT_FOUND -> StandardErrorCode.COLUMN_NOT_FOUND;
            case COLUMN_ALREADY_EXISTS -> StandardErrorCode.COLUMN_ALREADY_EXISTS;
            case NULL_KEY, DUPLICATE_KEY, KEY_TOO_LARGE, ROW_TOO_LARGE ->
                    StandardErrorCode.CONSTRAINT_VIOLATION;
            case SCHEMA_NOT_FOUND -> StandardErrorCode.SCHEMA_NOT_FOUND;
            case SCHEMA_ALREADY_EXISTS -> StandardErrorCode.SCHEMA_ALREADY_EXISTS;
            case SCHEMA_NOT_EMPTY -> StandardErrorCode.SCHEMA_NOT_EMPTY;
            case TABLE_NOT_FOUND -> StandardErrorCode.TABLE_NOT_FOUND;
            case TABLE_ALREADY_EXISTS -> StandardErrorCode.TABLE_ALREADY_EXISTS;
            case TRANSACTION_CONFLICT -> StandardErrorCode.TRANSACTION_CONFLICT;
            case TRANSACTION_TOO_LARGE -> StandardErrorCode.EXCEEDED_WRITE_LIMIT;
            case NUMBER_OUT_OF_RANGE -> StandardErrorCode.NUMERIC_VALUE_OUT_OF_RANGE;
            case TOO_MANY_GROUPS -> StandardErrorCode.EXCEEDED_LOCAL_MEMORY_LIMIT;
            case CANCELLED -> StandardErrorCode.USER_CANCELED;
            case TRANSACTION_NOT_FOUND, TRANSACTION_ABORTED ->
                    SteleErrorCode.STELE_TRANSACTION_LOST;
            case STALE_TABLE -> SteleErrorCode.STELE_STALE_TABLE;
            case UNAUTHENTICATED -> SteleErrorCode.STELE_UNAUTHENTICATED;
            case BUSY -> SteleErrorCode.STELE_BUSY;
            case SNAPSHOT_EXPIRED -> SteleErrorCode.STELE_SNAPSHOT_EXPIRED;
            case UNAVAILABLE -> SteleErrorCode.STELE_UNAVAILABLE;
            case CORRUPT_DATA -> SteleErrorCode.STELE_CORRUPT_DATA;
            case STORE_FAILED -> SteleErrorCode.STELE_STORE_FAILED;
            // Codes for writers of clients; the connector is not one
            case OUTCOME_UNKNOWN, INTERNAL -> SteleErrorCode.STELE_INTERNAL;
        };
    }
}
