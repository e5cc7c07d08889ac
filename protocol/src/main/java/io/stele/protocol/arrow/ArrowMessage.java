package io.stele.protocol.arrow;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * One record batch as it goes over the wire. The buffers belong to whoever holds the message.
 *
 * @param header the flatbuffer, for FlightData's {@code data_header}
 * @param body buffers that together are the body, each a multiple of 8 bytes
 * @param rowCount rows of the batch
 */
public record ArrowMessage(ByteBuffer header, List<ByteBuffer> body, int rowCount) {
    public ArrowMessage {
        requireNonNull(header, "header is null");
        body = List.copyOf(body);
    }

    /** Bytes of the body. */
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
