package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/** A request or response of Flight's Handshake method, which have equal forms. */
public record Handshake(long protocolVersion, byte[] payload) {
    public Handshake {
        requireNonNull(payload, "payload is null");
    }

    byte[] encode() {
        return new ProtoWriter().integer(1, protocolVersion).bytes(2, payload).toByteArray();
    }

    static Handshake decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        long protocolVersion = 0;
        byte[] payload = new byte[0];
        for (int field = reader.next(); field != 0; field = reader.next()) {
            if (field == 1) {
                protocolVersion = reader.integer();
            } else if (field == 2) {
                payload = reader.byteArray();
            }
        }
        return new Handshake(protocolVersion, payload);
    }
}
