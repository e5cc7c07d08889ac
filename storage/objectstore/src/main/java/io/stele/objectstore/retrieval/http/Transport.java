package io.stele.objectstore.retrieval.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A connection that never blocks, encrypted or not. Confined to its event loop. */
interface Transport {
    /**
     * Goes on with what comes before the first byte.
     *
     * @return whether all of that is done
     */
    boolean handshake() throws IOException;

    /**
     * Writes what can be written.
     *
     * @return whether all bytes are on their way
     */
    boolean write(ByteBuffer bytes) throws IOException;

    /**
     * Reads what is there.
     *
     * @param scratch outside of the heap, for whatever needs it
     * @return how many bytes; 0 if there are none now, -1 if there will be none
     */
    int read(ByteBuffer target, ByteBuffer scratch) throws IOException;

    /** Whether something waits to be written. */
    boolean wantsWrite();
}
