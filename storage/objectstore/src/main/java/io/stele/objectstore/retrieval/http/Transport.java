package io.stele.objectstore.retrieval.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A non-blocking byte transport over one socket, plain or TLS. Confined to its event loop. */
interface Transport {
    /**
     * Continues the handshake before the first byte.
     *
     * @return whether it is complete
     */
    boolean handshake() throws IOException;

    /**
     * Writes what can be written.
     *
     * @return whether all bytes were handed to the socket
     */
    boolean write(ByteBuffer bytes) throws IOException;

    /**
     * Reads the available bytes.
     *
     * @param scratch an off-heap buffer for intermediate bytes
     * @return the number of bytes read; 0 if none are available now, -1 at the end of the stream
     */
    int read(ByteBuffer target, ByteBuffer scratch) throws IOException;

    /** Whether bytes wait to be written. */
    boolean wantsWrite();
}
