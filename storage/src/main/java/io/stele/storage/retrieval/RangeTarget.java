package io.stele.storage.retrieval;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where the bytes of a range go. */
@FunctionalInterface
interface RangeTarget {
    /**
     * A buffer with {@code length} bytes remaining, for an answer of this version; asked again when
     * a request is repeated.
     */
    ByteBuffer of(ObjectVersion version, int length) throws IOException;
}
