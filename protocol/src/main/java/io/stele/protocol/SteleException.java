package io.stele.protocol;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/**
 * The exception of Stele with an {@link ErrorCode} that all protocols transmit. Its message states
 * what was expected, what was found, and where.
 */
public final class SteleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final long NOT_SAID = -1;

    private final ErrorCode code;
    private final long retryAfterMillis;

    public SteleException(ErrorCode code, String message) {
        this(code, message, OptionalLong.empty());
    }

    /**
     * @param retryAfterMillis milliseconds after which the same request may succeed
     */
    public SteleException(ErrorCode code, String message, OptionalLong retryAfterMillis) {
        super(requireNonNull(message, "message is null"));
        this.code = requireNonNull(code, "code is null");
        this.retryAfterMillis = retryAfterMillis.orElse(NOT_SAID);
    }

    /** A BUSY failure, with the milliseconds after which the request may succeed. */
    public static SteleException busy(String message, long retryAfterMillis) {
        return new SteleException(ErrorCode.BUSY, message, OptionalLong.of(retryAfterMillis));
    }

    public SteleException(ErrorCode code, String message, Throwable cause) {
        super(requireNonNull(message, "message is null"), requireNonNull(cause, "cause is null"));
        this.code = requireNonNull(code, "code is null");
        this.retryAfterMillis =
                cause instanceof SteleException same ? same.retryAfterMillis : NOT_SAID;
    }

    public ErrorCode code() {
        return code;
    }

    /** The milliseconds after which the same request may succeed; empty if unknown. */
    public OptionalLong retryAfterMillis() {
        return retryAfterMillis == NOT_SAID
                ? OptionalLong.empty()
                : OptionalLong.of(retryAfterMillis);
    }
}
