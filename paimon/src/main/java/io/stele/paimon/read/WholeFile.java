package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ReadTally;
import java.io.EOFException;

/** A small file whose bytes are all in memory, so that reads send no request. Immutable. */
final class WholeFile implements ObjectReader {
    private final ObjectReader source;
    private final byte[] bytes;

    /**
     * @param source the reader that the bytes came from, for its counters
     */
    WholeFile(ObjectReader source, byte[] bytes) {
        this.source = requireNonNull(source, "source is null");
        this.bytes = requireNonNull(bytes, "bytes is null");
    }

    @Override
    public void read(long offset, byte[] buffer, int bufferOffset, int length) throws EOFException {
        if (offset < 0 || offset + length > bytes.length) {
            throw new EOFException(
                    "Expected %s bytes at %s, found a file of %s bytes"
                            .formatted(length, offset, bytes.length));
        }
        System.arraycopy(bytes, (int) offset, buffer, bufferOffset, length);
    }

    @Override
    public ReadTally tally() {
        return source.tally();
    }
}
