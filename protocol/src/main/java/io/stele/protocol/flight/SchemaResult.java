package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/** The reply of Flight's GetSchema: an Arrow schema as an encapsulated IPC message. */
public record SchemaResult(byte[] schema) {
    public SchemaResult {
        requireNonNull(schema, "schema is null");
    }

    byte[] encode() {
        return new ProtoWriter().bytes(1, schema).toByteArray();
    }

    static SchemaResult decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        byte[] schema = new byte[0];
        for (int number = reader.next(); number != 0; number = reader.next()) {
            if (number == 1) {
                schema = reader.byteArray();
            }
        }
        return new SchemaResult(schema);
    }
}
