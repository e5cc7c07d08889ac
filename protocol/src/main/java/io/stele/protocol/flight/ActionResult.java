package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * One result of a Flight DoAction, in Stele the JSON of the action's reply; called Result in
 * Flight.proto.
 */
public record ActionResult(byte[] body) {
    public ActionResult {
        requireNonNull(body, "body is null");
    }

    byte[] encode() {
        return new ProtoWriter().bytes(1, body).toByteArray();
    }

    static ActionResult decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        byte[] body = new byte[0];
        for (int number = reader.next(); number != 0; number = reader.next()) {
            if (number == 1) {
                body = reader.byteArray();
            }
        }
        return new ActionResult(body);
    }
}
