package io.stele.objectstore.retrieval;

import java.nio.ByteBuffer;

/**
 * A {@link RangeTarget} that is an existing buffer of the reader.
 *
 * @param buffer has as many bytes remaining as the range; its position does not change
 */
record BufferTarget(ByteBuffer buffer) implements RangeTarget {
    @Override
    public boolean isDirect() {
        return buffer.isDirect();
    }

    @Override
    public ByteBuffer of(ObjectVersion version, int length) {
        return buffer.slice(buffer.position(), length);
    }
}
