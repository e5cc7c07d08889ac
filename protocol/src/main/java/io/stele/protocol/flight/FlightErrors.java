package io.stele.protocol.flight;

import static java.util.Objects.requireNonNullElse;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.channels.ClosedChannelException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A converter between {@link SteleException} and gRPC status, for Flight clients and services. Any
 * client receives the nearest status; the trailer {@code stele-error-code} has the exact code for
 * Stele's clients.
 */
public final class FlightErrors {
    /** Trailer with the name of the error code. */
    public static final Metadata.Key<String> ERROR_CODE =
            Metadata.Key.of("stele-error-code", Metadata.ASCII_STRING_MARSHALLER);

    /** Trailer with the milliseconds after which the same request may succeed. */
    public static final Metadata.Key<String> RETRY_AFTER =
            Metadata.Key.of("stele-retry-after-ms", Metadata.ASCII_STRING_MARSHALLER);

    /** The longest message in bytes, as HTTP/2 headers have 8 KiB by default. */
    private static final int MAX_MESSAGE_BYTES = 4_000;

    private FlightErrors() {}

    /** The status with which a service ends a failed call. */
    public static Status status(SteleException failure) {
        return Status.fromCode(statusCode(failure.code()))
                .withDescription(shortened(String.valueOf(failure.getMessage())))
                .withCause(failure);
    }

    /** The trailers for {@link #status}. */
    public static Metadata trailers(SteleException failure) {
        Metadata trailers = new Metadata();
        trailers.put(ERROR_CODE, failure.code().name());
        failure.retryAfterMillis()
                .ifPresent(millis -> trailers.put(RETRY_AFTER, Long.toString(millis)));
        return trailers;
    }

    /** Status and trailers as an exception, for services that fail their observers. */
    public static StatusRuntimeException toStatusException(SteleException failure) {
        return status(failure).asRuntimeException(trailers(failure));
    }

    /** The failure with which a call ended. */
    public static SteleException toSteleException(
            Status status, @Nullable Metadata trailers, String where) {
        String code = trailers == null ? null : trailers.get(ERROR_CODE);
        String description = requireNonNullElse(status.getDescription(), status.getCode().name());
        if (code != null) {
            OptionalLong retryAfter = retryAfterMillis(trailers);
            return retryAfter.isPresent()
                    ? new SteleException(ErrorCode.of(code), description, retryAfter)
                    : failure(ErrorCode.of(code), description, status.getCause());
        }
        return failure(
                isOfTheConnection(status, description)
                        ? ErrorCode.UNAVAILABLE
                        : errorCode(status.getCode()),
                "Flight call to " + where + " failed: " + description,
                status.getCause());
    }

    /** Whether a failure is one of the connection, although its gRPC status does not show this. */
    private static boolean isOfTheConnection(Status status, String description) {
        // HTTP/2's error for a peer that sends too much at once, so that a retry may succeed
        if (description.contains("ENHANCE_YOUR_CALM")) {
            return true;
        }
        // A call that begins while its connection is lost ends as UNKNOWN, "channel closed"
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof ClosedChannelException) {
                return true;
            }
        }
        return false;
    }

    /** The message, shortened if its percent-encoded form would not fit into headers. */
    public static String shortened(String message) {
        int bytes = 0;
        for (int index = 0; index < message.length(); index++) {
            char character = message.charAt(index);
            boolean isPlain = character >= ' ' && character < 0x7F && character != '%';
            bytes += isPlain ? 1 : character < 0x80 ? 3 : 9;
            if (bytes > MAX_MESSAGE_BYTES) {
                int end = Character.isLowSurrogate(character) ? index - 1 : index;
                return message.substring(0, end)
                        + "... ("
                        + message.length()
                        + " characters, cut here)";
            }
        }
        return message;
    }

    /** The failure for any exception of a gRPC stub. */
    public static SteleException toSteleException(Throwable thrown, String where) {
        if (thrown instanceof SteleException failure) {
            return failure;
        }
        if (thrown instanceof StatusRuntimeException failure) {
            return toSteleException(failure.getStatus(), failure.getTrailers(), where);
        }
        if (thrown instanceof StatusException failure) {
            return toSteleException(failure.getStatus(), failure.getTrailers(), where);
        }
        return new SteleException(
                ErrorCode.INTERNAL, "Flight call to " + where + " failed: " + thrown, thrown);
    }

    private static OptionalLong retryAfterMillis(@Nullable Metadata trailers) {
        String text = trailers == null ? null : trailers.get(RETRY_AFTER);
        if (text == null) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Math.max(0, Long.parseLong(text)));
        } catch (NumberFormatException notOurs) {
            return OptionalLong.empty(); // it is only advice
        }
    }

    private static SteleException failure(
            ErrorCode code, String message, @Nullable Throwable cause) {
        return cause == null
                ? new SteleException(code, message)
                : new SteleException(code, message, cause);
    }

    private static Status.Code statusCode(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT,
                    TYPE_MISMATCH,
                    COLUMN_NOT_FOUND,
                    NULL_KEY,
                    KEY_TOO_LARGE,
                    ROW_TOO_LARGE,
                    NUMBER_OUT_OF_RANGE ->
                    Status.Code.INVALID_ARGUMENT;
            case SCHEMA_NOT_FOUND, TABLE_NOT_FOUND, TRANSACTION_NOT_FOUND -> Status.Code.NOT_FOUND;
            case SCHEMA_ALREADY_EXISTS,
                    TABLE_ALREADY_EXISTS,
                    COLUMN_ALREADY_EXISTS,
                    DUPLICATE_KEY ->
                    Status.Code.ALREADY_EXISTS;
            case SCHEMA_NOT_EMPTY, STALE_TABLE, SNAPSHOT_EXPIRED -> Status.Code.FAILED_PRECONDITION;
            case TRANSACTION_CONFLICT, TRANSACTION_ABORTED, CANCELLED -> Status.Code.ABORTED;
            case TRANSACTION_TOO_LARGE, TOO_MANY_GROUPS, BUSY -> Status.Code.RESOURCE_EXHAUSTED;
            case UNAUTHENTICATED -> Status.Code.UNAUTHENTICATED;
            case UNAVAILABLE -> Status.Code.UNAVAILABLE;
            case CORRUPT_DATA -> Status.Code.DATA_LOSS;
            case STORE_FAILED, OUTCOME_UNKNOWN, INTERNAL -> Status.Code.INTERNAL;
        };
    }

    private static ErrorCode errorCode(Status.Code code) {
        return switch (code) {
            case UNAUTHENTICATED, PERMISSION_DENIED -> ErrorCode.UNAUTHENTICATED;
            case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> ErrorCode.UNAVAILABLE;
            // RESOURCE_EXHAUSTED comes from gRPC for a message beyond a limit, which a retry would
            // exceed again. A busy sidecar sends its own error code instead
            case INVALID_ARGUMENT, OUT_OF_RANGE, UNIMPLEMENTED, RESOURCE_EXHAUSTED ->
                    ErrorCode.INVALID_ARGUMENT;
            case DATA_LOSS -> ErrorCode.CORRUPT_DATA;
            case OK, UNKNOWN, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED, INTERNAL ->
                    ErrorCode.INTERNAL;
        };
    }
}
