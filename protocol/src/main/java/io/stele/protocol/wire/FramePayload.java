package io.stele.protocol.wire;

import java.io.IOException;

/**
 * The payload of a frame, which comes in pieces as it is written. So a large one is never in memory
 * as a whole beside what it is made of.
 */
public interface FramePayload {
    /** The length of what {@link #writeTo} appends. */
    int sizeBytes();

    /** Appends all of it. */
    void writeTo(Sink sink) throws IOException;

    /** Takes the pieces, in order. */
    @FunctionalInterface
    interface Sink {
        /** Appends a piece of an array, which may be changed afterwards. */
        void append(byte[] bytes, int offset, int length) throws IOException;
    }

    /** A payload that is one array. */
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
