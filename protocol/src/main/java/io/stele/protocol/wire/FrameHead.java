package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * The head of a frame whose payload is not yet read.
 *
 * @param requestId chosen by the client, repeated in the reply; unsigned
 * @param payloadLength as announced, within the limit of the reader
 */
public record FrameHead(FrameType type, int requestId, int payloadLength) {
    public FrameHead {
        requireNonNull(type, "type is null");
    }
}
