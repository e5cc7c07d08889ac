package io.stele.sidecar.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A message that a client sends after its login, without its length. */
record ClientMessage(char type, byte[] payload) {
    private static final int LENGTH_BYTES = 4;
    private static final int MAX_SHOWN = 500;

    ClientMessage {
        requireNonNull(payload, "payload is null");
    }

    static ClientMessage query(String sql) {
        return new ClientMessage('Q', (sql + "\0").getBytes(UTF_8));
    }

    static ClientMessage sync() {
        return new ClientMessage('S', new byte[0]);
    }

    void writeTo(DataOutputStream out) throws IOException {
        out.writeByte(type);
        out.writeInt(LENGTH_BYTES + payload.length);
        out.write(payload);
    }

    /** The messages of a recorded connection without its login and without its end. */
    static List<ClientMessage> afterLogin(DataInputStream recorded) throws IOException {
        recorded.skipNBytes(recorded.readInt() - LENGTH_BYTES); // the first one has no type
        List<ClientMessage> messages = new ArrayList<>();
        int type = recorded.read();
        while (type >= 0) {
            byte[] payload = new byte[recorded.readInt() - LENGTH_BYTES];
            recorded.readFully(payload);
            if (type != 'p' && type != 'X') {
                messages.add(new ClientMessage((char) type, payload));
            }
            type = recorded.read();
        }
        return List.copyOf(messages);
    }

    @Override
    public String toString() {
        String text = UTF_8.decode(ByteBuffer.wrap(payload)).toString();
        return type + " " + text.substring(0, Math.min(text.length(), MAX_SHOWN));
    }
}
