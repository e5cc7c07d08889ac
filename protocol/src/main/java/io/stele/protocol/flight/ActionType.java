package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * The name and description of an action that a service supports, as Flight's ListActions returns
 * them.
 */
public record ActionType(String type, String description) {
    public ActionType {
        requireNonNull(type, "type is null");
        requireNonNull(description, "description is null");
    }

    byte[] encode() {
        return new ProtoWriter().text(1, type).text(2, description).toByteArray();
    }

    static ActionType decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        String type = "";
        String description = "";
        for (int field = reader.next(); field != 0; field = reader.next()) {
            if (field == 1) {
                type = reader.text();
            } else if (field == 2) {
                description = reader.text();
            }
        }
        return new ActionType(type, description);
    }
}
