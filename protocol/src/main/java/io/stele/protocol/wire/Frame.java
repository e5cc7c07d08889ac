package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

/**
 * One frame as it was read: the payload is an array of its own, so that it can be handed on (to the
 * log, to a caller) without a copy. The receiver of a frame owns its payload.
 *
 * @param requestId chosen by the client, repeated in the reply; unsigned
 */
public record Frame(FrameType type, int requestId, byte[] payload) {
    public Frame {
        requireNonNull(type, "type is null");
        requireNonNull(payload, "payload is null");
    }
}
