package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * The opaque ticket of a Flight DoGet, which identifies the rows to return. Stele's tickets are the
 * JSON of a {@code ScanTicket}.
 */
public record Ticket(byte[] bytes) {
    public Ticket {
        requireNonNull(bytes, "bytes is null");
    }

    byte[] encode() {
        return new ProtoWriter().bytes(1, bytes).toByteArray();
    }

    static Ticket decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        byte[] bytes = new byte[0];
        for (int number = reader.next(); number != 0; number = reader.next()) {
            if (number == 1) {
                bytes = reader.byteArray();
            }
        }
        return new Ticket(bytes);
    }
}
