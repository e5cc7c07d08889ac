package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * The head of a received frame whose payload is not read yet.
 *
 * @param requestId chosen by the client, repeated in the reply; unsigned
 * @param payloadLength in bytes, as announced, within the limit of the reader
 */
public record FrameHead(FrameType type, int requestId, int payloadLength) {
    public FrameHead {
        requireNonNull(type, "type is null");
    }
}
