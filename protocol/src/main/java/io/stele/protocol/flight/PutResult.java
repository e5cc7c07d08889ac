package io.stele.protocol.flight;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;

/**
 * The reply to one batch of a Flight DoPut; its metadata is in Stele the JSON of a {@code
 * PutReply}.
 */
public record PutResult(byte[] appMetadata) {
    public PutResult {
        requireNonNull(appMetadata, "appMetadata is null");
    }

    byte[] encode() {
        return new ProtoWriter().bytes(1, appMetadata).toByteArray();
    }

    static PutResult decode(ByteBuffer message) {
        ProtoReader reader = new ProtoReader(message);
        byte[] appMetadata = new byte[0];
        for (int number = reader.next(); number != 0; number = reader.next()) {
            if (number == 1) {
                appMetadata = reader.byteArray();
            }
        }
        return new PutResult(appMetadata);
    }
}
