package io.stele.objectstore.retrieval;

import java.util.Locale;

/**
 * A range of bytes of an object, to be read.
 *
 * @param offset of the first byte
 * @param length in bytes, at least 1
 */
public record ByteRange(long offset, int length) {
    public ByteRange {
        if (offset < 0 || length < 1 || offset > Long.MAX_VALUE - length) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected an offset of at least 0 and a length of at least 1, found %d and %d",
                            offset,
                            length));
        }
    }

    /** The end of the range, exclusive. */
    public long end() {
        return offset + length;
    }

    /** The range as a value of HTTP's header {@code Range}. */
    public String header() {
        return "bytes=" + offset + "-" + (end() - 1);
    }

    /** Whether this range includes all bytes of the other. */
    public boolean contains(ByteRange other) {
        return offset <= other.offset && other.end() <= end();
    }
}
