package io.stele.sidecar.flight;

import io.airlift.log.Logger;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.flight.FlightErrors;
import io.stele.sidecar.access.AccessDeniedException;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionException;

/**
 * The mapping of the failures of Flight calls to the gRPC statuses and trailers that clients get.
 * It is the only place where that is decided.
 */
final class CallFailures {
    private static final Logger log = Logger.get(CallFailures.class);

    private CallFailures() {}

    /**
     * The status and trailers of a failure; an unexpected failure, which has no error code, is
     * logged here and not shown.
     */
    static StatusRuntimeException describe(String method, Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
        return switch (cause) {
            case SteleException known -> {
                if (known.code().category() == ErrorCode.Category.INTERNAL) {
                    log.error(known, "%s failed", method);
                }
                yield FlightErrors.toStatusException(known);
            }
            case PostgresException known -> SqlFailures.describe(method, known);
            case AccessDeniedException denied ->
                    SqlFailures.describe(method, PostgresException.of(denied));
            case UncheckedIOException unreadable ->
                    FlightErrors.toStatusException(
                            new SteleException(
                                    ErrorCode.STORE_FAILED,
                                    "The warehouse cannot be read: " + unreadable.getMessage(),
                                    unreadable));
            case StatusRuntimeException status -> status;
            case IllegalArgumentException wrong ->
                    FlightErrors.toStatusException(
                            new SteleException(
                                    ErrorCode.INVALID_ARGUMENT,
                                    String.valueOf(wrong.getMessage()),
                                    wrong));
            default -> {
                log.error(cause, "%s failed", method);
                yield Status.INTERNAL
                        .withDescription(
                                "The sidecar failed; its log says why: "
                                        + cause.getClass().getSimpleName())
                        .withCause(cause)
                        .asRuntimeException(
                                FlightErrors.trailers(new SteleException(ErrorCode.INTERNAL, "")));
            }
        };
    }
}
