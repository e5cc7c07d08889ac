package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.charset.StandardCharsets;

/**
 * A request failed: {@code code text | message text}, the code by its name. For a WRITE this is
 * final: the batch was not applied and will not be. A sidecar that does not know closes the
 * connection instead of answering.
 */
public record ErrorReply(ErrorCode code, String message) {
    public ErrorReply {
        requireNonNull(code, "code is null");
        requireNonNull(message, "message is null");
    }

    /** Encodes; a message beyond the text limit is cut. */
    public byte[] encode() {
        return new PayloadWriter(128)
                .putText("code", code.name())
                .putText("message", cut(message))
                .toByteArray();
    }

    /**
     * Reads an ERROR; a code this version does not know becomes INTERNAL and is named in the
     * message.
     */
    public static ErrorReply decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.ERROR, frame);
        String name = reader.getText("code");
        String message = reader.getText("message");
        reader.end();
        ErrorCode code = ErrorCode.of(name);
        return new ErrorReply(code, code.name().equals(name) ? message : name + ": " + message);
    }

    public SteleException toException() {
        return new SteleException(code, message);
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
