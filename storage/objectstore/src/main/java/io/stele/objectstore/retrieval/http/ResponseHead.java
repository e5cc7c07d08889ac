package io.stele.objectstore.retrieval.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ContentRange;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The parsed head of an HTTP response: its status and headers.
 *
 * @param status such as 206
 * @param headers by name in lower case; the first of several with one name
 */
public record ResponseHead(int status, Map<String, String> headers) {
    /** The heads of S3 have a few hundred bytes. */
    static final int MAX_BYTES = 32 << 10;

    private static final int MAX_HEADERS = 200;

    public ResponseHead {
        requireNonNull(headers, "headers is null");
    }

    /**
     * The end of the head in these bytes, after its empty line; -1 if it is incomplete.
     *
     * @param from the start of the search; an end that begins up to three bytes before is found
     */
    static int end(byte[] bytes, int from, int length) {
        for (int i = Math.max(3, from); i < length; i++) {
            if (bytes[i] == '\n'
                    && bytes[i - 1] == '\r'
                    && bytes[i - 2] == '\n'
                    && bytes[i - 3] == '\r') {
                return i + 1;
            }
        }
        return -1;
    }

    /**
     * Reads a head.
     *
     * @param length of the head in bytes, with its empty line
     * @throws IOException if the bytes are no HTTP head
     */
    static ResponseHead parse(byte[] bytes, int length) throws IOException {
        String[] lines = new String(bytes, 0, length, ISO_8859_1).split("\r\n");
        String first = lines[0];
        if (!first.matches("HTTP/1\\.[01] [1-5]\\d\\d( .*)?")) {
            throw new IOException("Expected an answer of HTTP/1.1, found: " + shorten(first));
        }
        if (lines.length > MAX_HEADERS) {
            throw new IOException(
                    "Expected at most %d headers, found %d".formatted(MAX_HEADERS, lines.length));
        }
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon < 1) {
                throw new IOException("Expected a header, found: " + shorten(lines[i]));
            }
            headers.putIfAbsent(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip());
        }
        // HTTP/1.0 closes each connection unless a header says otherwise
        if (first.startsWith("HTTP/1.0")) {
            headers.putIfAbsent("connection", "close");
        }
        return new ResponseHead(Integer.parseInt(first.substring(9, 12)), headers);
    }

    /** A header's value. */
    public Optional<String> find(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    boolean isChunked() {
        return find("transfer-encoding").isPresent();
    }

    /** Whether the connection can be used for another request. */
    boolean keepsAlive() {
        return find("connection").map(value -> !value.equalsIgnoreCase("close")).orElse(true);
    }

    /** The length of the body in bytes; empty if the head does not state it. */
    OptionalLong contentLength() throws IOException {
        Optional<String> length = find("content-length");
        return length.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(number(length.get(), "content-length: " + length.get()));
    }

    /**
     * The range of the body and the size of the object, from {@code bytes 0-9/100}.
     *
     * @throws IOException if the header is missing or malformed
     */
    ContentRange contentRange() throws IOException {
        return ContentRange.parse(find("content-range").orElse("none"));
    }

    private static long number(String text, String where) throws IOException {
        if (!text.matches("\\d{1,18}")) {
            throw new IOException("Expected a number, found it in: " + shorten(where));
        }
        return Long.parseLong(text);
    }

    private static String shorten(String text) {
        return text.length() <= 100 ? text : text.substring(0, 100) + "...";
    }
}
