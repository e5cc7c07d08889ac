package io.stele.objectstore.retrieval;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A supplier of the destination buffer of a fetched range. */
@FunctionalInterface
interface RangeTarget {
    /** Whether {@link #of} returns off-heap buffers. */
    default boolean isDirect() {
        return false;
    }

    /**
     * A buffer with {@code length} bytes remaining, for an answer of this version; called again
     * when a request is repeated.
     */
    ByteBuffer of(ObjectVersion version, int length) throws IOException;
}
