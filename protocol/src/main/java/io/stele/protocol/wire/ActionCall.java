package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;

/**
 * Asks for an action as Flight's DoAction does: {@code type text | request}, where the request is
 * JSON and goes to the end of the payload. The reply's payload is the result as JSON. Only actions
 * that open or plan what is to be read are done for such a frame.
 */
public record ActionCall(String type, byte[] request) {
    public ActionCall {
        requireNonNull(type, "type is null");
        requireNonNull(request, "request is null");
    }

    public byte[] encode() {
        return new PayloadWriter(request.length + type.length() + 8)
                .putText("action", type)
                .putBytes(request, 0, request.length)
                .toByteArray();
    }

    public static ActionCall decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.ACTION, frame);
        String type = reader.getText("action");
        byte[] payload = frame.payload();
        return new ActionCall(type, Arrays.copyOfRange(payload, reader.rest(), payload.length));
    }
}
