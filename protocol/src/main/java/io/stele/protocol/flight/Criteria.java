package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * The filter of a Flight ListFlights. In Stele, it is the name of a schema in UTF-8, or empty for
 * all schemas.
 */
public record Criteria(byte[] expression) {
    public Criteria {
        requireNonNull(expression, "expression is null");
    }

    byte[] encode() {
        return new ProtoWriter().bytes(1, expression).toByteArray();
    }

    static Criteria decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        byte[] expression = new byte[0];
        for (int number = reader.next(); number != 0; number = reader.next()) {
            if (number == 1) {
                expression = reader.byteArray();
            }
        }
        return new Criteria(expression);
    }
}
