package io.stele.protocol.arrow;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * An encoded Arrow record batch in the form in which it is sent over the wire. The buffers belong
 * to the holder of the message.
 *
 * @param header the flatbuffer, for FlightData's {@code data_header}
 * @param body buffers that together form the body, each a multiple of 8 bytes
 * @param rowCount number of rows of the batch
 */
public record ArrowMessage(ByteBuffer header, List<ByteBuffer> body, int rowCount) {
    public ArrowMessage {
        requireNonNull(header, "header is null");
        body = List.copyOf(body);
    }

    /** The size of the body in bytes. */
    public long bodySizeBytes() {
        long size = 0;
        for (ByteBuffer buffer : body) {
            size += buffer.remaining();
        }
        return size;
    }

    /** A copy of the body in one buffer. */
    public ByteBuffer joinedBody() {
        ByteBuffer joined = ByteBuffer.allocate(Math.toIntExact(bodySizeBytes()));
        for (ByteBuffer buffer : body) {
            joined.put(buffer.duplicate());
        }
        return joined.flip();
    }
}
