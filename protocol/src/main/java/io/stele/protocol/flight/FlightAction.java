package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * The request of a Flight DoAction: the action's name, and a body that in Stele is the JSON of the
 * action's request.
 */
public record FlightAction(String type, byte[] body) {
    public FlightAction {
        requireNonNull(type, "type is null");
        requireNonNull(body, "body is null");
    }

    byte[] encode() {
        return new ProtoWriter().text(1, type).bytes(2, body).toByteArray();
    }

    static FlightAction decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        String type = "";
        byte[] body = new byte[0];
        for (int field = reader.next(); field != 0; field = reader.next()) {
            if (field == 1) {
                type = reader.text();
            } else if (field == 2) {
                body = reader.byteArray();
            }
        }
        return new FlightAction(type, body);
    }
}
