package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.io.EOFException;
import java.io.IOException;

/**
 * One request for bytes of an object.
 *
 * @param object its name in the source
 * @param range of it
 * @param mayBeShorter whether the answer may end with the object, before the range does
 */
public record RangeRequest(String object, ByteRange range, boolean mayBeShorter) {
    public RangeRequest {
        requireNonNull(object, "object is null");
        requireNonNull(range, "range is null");
    }

    /**
     * Checks that an answer is to this request, before its bytes are taken.
     *
     * @param part of the object according to the answer
     * @param length of its body, in bytes
     * @param where the object is, for messages
     * @throws EOFException if the object ends before the range does, and may not
     * @throws TransientReadException if a repetition may succeed
     * @throws IOException if it has more than was requested
     */
    public void checkAnswer(ContentRange part, long length, String where) throws IOException {
        long offset = range.offset();
        if (part.first() != offset || part.last() - part.first() + 1 != length) {
            throw new TransientReadException(
                    "Expected %d bytes from %d, found %d from %d to %d for %s"
                            .formatted(
                                    range.length(),
                                    offset,
                                    length,
                                    part.first(),
                                    part.last(),
                                    where));
        }
        if (length > range.length()) {
            throw new IOException(
                    "Expected at most %d bytes, found %d for %s"
                            .formatted(range.length(), length, where));
        }
        if (length < range.length() && offset + length != part.sizeBytes()) {
            throw new TransientReadException(
                    "Expected %d bytes, found %d of %d for %s"
                            .formatted(range.length(), length, part.sizeBytes(), where));
        }
        if (length < range.length() && !mayBeShorter) {
            throw new EOFException(
                    "Expected %d bytes at offset %d, found the end of %s at %d"
                            .formatted(range.length(), offset, where, part.sizeBytes()));
        }
        if (length == 0) {
            throw new EOFException("Expected bytes, found none for " + where);
        }
    }
}
