package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

import java.io.EOFException;
import java.io.IOException;

/**
 * One request for a range of bytes of an object, and the check of its response.
 *
 * @param object its name in the source
 * @param range of the object's bytes
 * @param mayBeShorter whether the response may end before the range, at the end of the object
 */
public record RangeRequest(String object, ByteRange range, boolean mayBeShorter) {
    public RangeRequest {
        requireNonNull(object, "object is null");
        requireNonNull(range, "range is null");
    }

    /**
     * Checks that a response matches this request, before its bytes are used.
     *
     * @param part of the object according to the response
     * @param length of its body, in bytes
     * @param where the object is, for messages
     * @throws EOFException if the object ends before the range, and {@code mayBeShorter} is false
     * @throws TransientReadException if a repetition may succeed
     * @throws IOException if the response has more bytes than were requested
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
