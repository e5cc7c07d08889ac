package io.stele.objectstore.retrieval;

import java.util.Locale;

/**
 * Bytes of an object.
 *
 * @param offset of the first
 * @param length at least 1
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

    /** The offset behind the last byte. */
    public long end() {
        return offset + length;
    }

    /** As HTTP's header {@code Range} has it. */
    public String header() {
        return "bytes=" + offset + "-" + (end() - 1);
    }

    /** Whether all of the other's bytes are in this. */
    public boolean contains(ByteRange other) {
        return offset <= other.offset && other.end() <= end();
    }
}
