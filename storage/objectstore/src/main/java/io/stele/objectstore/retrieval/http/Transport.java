package io.stele.objectstore.retrieval.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A connection that never blocks, encrypted or not. Confined to its event loop. */
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
     * @return whether all bytes are on their way
     */
    boolean write(ByteBuffer bytes) throws IOException;

    /**
     * Reads the available bytes.
     *
     * @param scratch an off-heap buffer for intermediate bytes
     * @return how many bytes; 0 if there are none now, -1 if there will be none
     */
    int read(ByteBuffer target, ByteBuffer scratch) throws IOException;

    /** Whether something waits to be written. */
    boolean wantsWrite();
}
