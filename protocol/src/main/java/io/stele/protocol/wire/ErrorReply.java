package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * The payload of an ERROR frame, the reply to a failed request: {@code code text | message text},
 * the code by its name, and optionally {@code milliseconds after which the request may succeed 8}.
 * For a WRITE it is final: the batch was not applied and will not be. A sidecar that is not sure of
 * this closes the connection without a reply.
 */
public record ErrorReply(ErrorCode code, String message, OptionalLong retryAfterMillis) {
    public ErrorReply {
        requireNonNull(code, "code is null");
        requireNonNull(message, "message is null");
        requireNonNull(retryAfterMillis, "retryAfterMillis is null");
    }

    /** A failure without a time to wait. */
    public ErrorReply(ErrorCode code, String message) {
        this(code, message, OptionalLong.empty());
    }

    /**
     * The reply for a failure.
     *
     * @param knowsWaiting whether the client can read the time to wait
     */
    public static ErrorReply of(SteleException failure, boolean knowsWaiting) {
        return new ErrorReply(
                failure.code(),
                String.valueOf(failure.getMessage()),
                knowsWaiting ? failure.retryAfterMillis() : OptionalLong.empty());
    }

    /** Encodes the reply; a message beyond the text limit is cut. */
    public byte[] encode() {
        PayloadWriter writer =
                new PayloadWriter(128)
                        .putText("code", code.name())
                        .putText("message", cut(message));
        retryAfterMillis.ifPresent(writer::putLong);
        return writer.toByteArray();
    }

    /** Decodes an ERROR; an unknown code becomes INTERNAL, and the message names it. */
    public static ErrorReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.ERROR, frame);
        String name = reader.getText("code");
        String message = reader.getText("message");
        OptionalLong retryAfterMillis =
                reader.hasMore()
                        ? OptionalLong.of(reader.getLong("retry after"))
                        : OptionalLong.empty();
        reader.end();
        ErrorCode code = ErrorCode.of(name);
        return new ErrorReply(
                code, code.name().equals(name) ? message : name + ": " + message, retryAfterMillis);
    }

    public SteleException toException() {
        return new SteleException(code, message, retryAfterMillis);
    }

    private static String cut(String message) {
        if (message.length() <= WireLimits.MAX_TEXT_BYTES / 3) {
            return message;
        }
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= WireLimits.MAX_TEXT_BYTES) {
            return message;
        }
        int end = WireLimits.MAX_TEXT_BYTES - 4;
        while ((bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8) + "...";
    }
}
