package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * A received frame of the framed protocol, whose payload belongs to its receiver. The payload has
 * its own array, so that it can be passed on (to the log, to a caller) without a copy.
 *
 * @param requestId chosen by the client, repeated in the reply; unsigned
 */
public record Frame(FrameType type, int requestId, byte[] payload) {
    public Frame {
        requireNonNull(type, "type is null");
        requireNonNull(payload, "payload is null");
    }
}
