package io.stele.sidecar.postgresql.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.access.AccessDeniedException;
import java.util.Optional;

/**
 * A failure that is sent to a PostgreSQL client as an ErrorResponse, with its SQL state and an
 * optional hint.
 */
public final class PostgresException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final SqlState state;
    private final Optional<String> hint;

    public PostgresException(SqlState state, String message) {
        this(state, message, Optional.empty());
    }

    public PostgresException(SqlState state, String message, Optional<String> hint) {
        super(message);
        this.state = requireNonNull(state, "state is null");
        this.hint = requireNonNull(hint, "hint is null");
    }

    private PostgresException(SqlState state, Optional<String> hint, Throwable cause) {
        super(message(cause), cause);
        this.state = state;
        this.hint = hint;
    }

    /** Translates a failure, for example of the engine, to the failure that the client receives. */
    public static PostgresException of(Throwable failure) {
        if (failure instanceof PostgresException known) {
            return known;
        }
        if (failure instanceof SteleException known) {
            Optional<String> hint =
                    known.code() == ErrorCode.BUSY
                            ? Optional.of("Try again later: the server has reached a limit.")
                            : Optional.empty();
            return new PostgresException(SqlState.of(known.code()), hint, known);
        }
        if (failure instanceof AccessDeniedException) {
            return new PostgresException(
                    SqlState.INSUFFICIENT_PRIVILEGE, Optional.empty(), failure);
        }
        return new PostgresException(SqlState.INTERNAL_ERROR, Optional.empty(), failure);
    }

    private static String message(Throwable failure) {
        return failure instanceof SteleException || failure instanceof AccessDeniedException
                ? String.valueOf(failure.getMessage())
                : "The server failed: " + failure;
    }

    public SqlState state() {
        return state;
    }

    public Optional<String> hint() {
        return hint;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
