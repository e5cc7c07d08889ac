package io.stele.objectstore.retrieval.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Optional;

/** A decoder of short HTTP bodies with chunked encoding, such as the errors of S3. Pure. */
final class ChunkedBody {
    private static final int MAX_LINE = 64;

    private ChunkedBody() {}

    /**
     * The decoded body; empty if it is incomplete.
     *
     * @param bytes received so far
     * @throws IOException if the bytes are not in chunked encoding
     */
    static Optional<byte[]> decode(byte[] bytes, int length) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int at = 0;
        while (true) {
            int end = lineEnd(bytes, at, length);
            if (end < 0) {
                return Optional.empty();
            }
            int size = size(new String(bytes, at, end - at, ISO_8859_1));
            at = end + 2;
            if (size == 0) {
                return hasTrailer(bytes, at, length)
                        ? Optional.of(body.toByteArray())
                        : Optional.empty();
            }
            if (size > length - at - 2) {
                return Optional.empty();
            }
            body.write(bytes, at, size);
            at += size + 2;
        }
    }

    /** Whether the trailer after the last chunk is complete, up to its empty line. */
    private static boolean hasTrailer(byte[] bytes, int from, int length) throws IOException {
        int at = from;
        while (true) {
            int end = lineEnd(bytes, at, length);
            if (end < 0 || end == at) {
                return end == at;
            }
            at = end + 2;
        }
    }

    private static int lineEnd(byte[] bytes, int from, int length) throws IOException {
        for (int i = from; i + 1 < length; i++) {
            if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
                return i;
            }
            if (i - from > MAX_LINE) {
                throw new IOException("Expected the size of a chunk, found a longer line");
            }
        }
        return -1;
    }

    private static int size(String line) throws IOException {
        int extension = line.indexOf(';');
        String digits = (extension < 0 ? line : line.substring(0, extension)).strip();
        if (!digits.matches("[0-9a-fA-F]{1,7}")) {
            throw new IOException("Expected the size of a chunk, found: " + line);
        }
        return Integer.parseInt(digits, 16);
    }
}
