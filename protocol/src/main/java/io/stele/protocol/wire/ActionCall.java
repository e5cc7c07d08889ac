package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;

/**
 * The payload of an ACTION frame, the framed protocol's form of Flight's DoAction: {@code type text
 * | request}. The request is JSON and extends to the end of the payload. The reply's payload is the
 * result as JSON. The sidecar runs only repeatable actions for such frames. These are the actions
 * of snapshots, leases, scan plans, metadata changes and file metadata, and the begin and commit of
 * a transaction.
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
