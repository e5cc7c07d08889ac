package io.stele.protocol;

import static java.util.Objects.requireNonNull;

/** A failure with a name that survives every wire: what was expected, what was found, where. */
public final class SteleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public SteleException(ErrorCode code, String message) {
        super(requireNonNull(message, "message is null"));
        this.code = requireNonNull(code, "code is null");
    }

    public SteleException(ErrorCode code, String message, Throwable cause) {
        super(requireNonNull(message, "message is null"), requireNonNull(cause, "cause is null"));
        this.code = requireNonNull(code, "code is null");
    }

    public ErrorCode code() {
        return code;
    }
}
