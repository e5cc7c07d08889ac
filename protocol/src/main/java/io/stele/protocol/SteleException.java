package io.stele.protocol;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;

/** A failure with a name that survives every wire: what was expected, what was found, where. */
public final class SteleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final long NOT_SAID = -1;

    private final ErrorCode code;
    private final long retryAfterMillis;

    public SteleException(ErrorCode code, String message) {
        this(code, message, OptionalLong.empty());
    }

    /**
     * @param retryAfterMillis how long to wait before the same request may succeed
     */
    public SteleException(ErrorCode code, String message, OptionalLong retryAfterMillis) {
        super(requireNonNull(message, "message is null"));
        this.code = requireNonNull(code, "code is null");
        this.retryAfterMillis = retryAfterMillis.orElse(NOT_SAID);
    }

    /** BUSY, with how long to wait before the request may succeed. */
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

    /**
     * How long to wait before the same request may succeed; empty if the cause does not give it.
     */
    public OptionalLong retryAfterMillis() {
        return retryAfterMillis == NOT_SAID
                ? OptionalLong.empty()
                : OptionalLong.of(retryAfterMillis);
    }
}
