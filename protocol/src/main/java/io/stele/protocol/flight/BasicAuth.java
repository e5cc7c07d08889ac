package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/** User and password in the payload of a Handshake, as older Flight clients send them. */
public record BasicAuth(String username, String password) {
    public BasicAuth {
        requireNonNull(username, "username is null");
        requireNonNull(password, "password is null");
    }

    public byte[] encode() {
        return new ProtoWriter().text(2, username).text(3, password).toByteArray();
    }

    /** Decodes a payload; missing fields are empty. */
    public static BasicAuth decode(byte[] payload) {
        ProtoReader reader = new ProtoReader(ByteBuffer.wrap(payload));
        String username = "";
        String password = "";
        for (int field = reader.next(); field != 0; field = reader.next()) {
            if (field == 2) {
                username = reader.text();
            } else if (field == 3) {
                password = reader.text();
            }
        }
        return new BasicAuth(username, password);
    }

    @Override
    public String toString() {
        return "BasicAuth[username=" + username + "]"; // never the password
    }
}
