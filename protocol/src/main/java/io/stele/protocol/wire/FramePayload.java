package io.stele.protocol.wire;

import java.io.IOException;

/**
 * The payload of a frame to send, produced in pieces while it is written. So a large payload is
 * never in memory as a whole.
 */
public interface FramePayload {
    /** The number of bytes that {@link #writeTo} appends. */
    int sizeBytes();

    /** Appends the whole payload. */
    void writeTo(Sink sink) throws IOException;

    /** A receiver of the pieces, in order. */
    @FunctionalInterface
    interface Sink {
        /** Appends a piece of an array, which may be changed afterwards. */
        void append(byte[] bytes, int offset, int length) throws IOException;
    }

    /** A payload of one array. */
    static FramePayload of(byte[] bytes) {
        return new FramePayload() {
            @Override
            public int sizeBytes() {
                return bytes.length;
            }

            @Override
            public void writeTo(Sink sink) throws IOException {
                sink.append(bytes, 0, bytes.length);
            }
        };
    }
}
