package io.stele.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The head of an HTTP/1.1 request or answer, line by line as it came.
 *
 * @param firstLine {@code GET /path HTTP/1.1} or {@code HTTP/1.1 200 OK}
 * @param headers the other lines
 */
record HttpHead(String firstLine, List<String> headers) {
    private static final int MAX_BYTES = 64 << 10;

    HttpHead {
        requireNonNull(firstLine, "firstLine is null");
        headers = List.copyOf(headers);
    }

    /** Reads one; empty if the connection ends before it begins. */
    static Optional<HttpHead> read(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int matched = 0; matched < 4; ) {
            int next = in.read();
            if (next < 0) {
                if (text.isEmpty()) {
                    return Optional.empty();
                }
                throw new EOFException("Expected the rest of a head, found the end after " + text);
            }
            if (text.length() == MAX_BYTES) {
                throw new IOException("Expected a head of at most %d bytes".formatted(MAX_BYTES));
            }
            text.append((char) next);
            matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
        }
        List<String> lines = List.of(text.substring(0, text.length() - 4).split("\r\n"));
        return Optional.of(new HttpHead(lines.getFirst(), lines.subList(1, lines.size())));
    }

    /** The second word of the first line: the target of a request, the status of an answer. */
    String secondWord() throws IOException {
        String[] words = firstLine.split(" ");
        if (words.length < 2) {
            throw new IOException("Expected a line of HTTP, found: " + firstLine);
        }
        return words[1];
    }

    /** The first word of the first line: the method of a request. */
    String firstWord() {
        int end = firstLine.indexOf(' ');
        return end < 0 ? firstLine : firstLine.substring(0, end);
    }

    boolean isMethod(String method) {
        return firstLine.startsWith(method + " ");
    }

    /** The first value of a header. */
    Optional<String> find(String name) {
        return headers.stream()
                .filter(line -> isHeader(line, name))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    /** The same without a header. */
    HttpHead without(String name) {
        return new HttpHead(
                firstLine, headers.stream().filter(line -> !isHeader(line, name)).toList());
    }

    boolean isChunked() {
        return find("transfer-encoding")
                .map(value -> value.toLowerCase(Locale.ROOT).endsWith("chunked"))
                .orElse(false);
    }

    /** Whether the connection ends behind this message. */
    boolean isLast() {
        return find("connection").map(value -> value.equalsIgnoreCase("close")).orElse(false);
    }

    /** The length of the body that it announces, 0 where it announces none. */
    long contentLength() throws IOException {
        String length = find("content-length").orElse("0");
        try {
            return Long.parseLong(length);
        } catch (NumberFormatException e) {
            throw new IOException("Expected a length, found " + length, e);
        }
    }

    byte[] bytes() {
        return (firstLine + "\r\n" + String.join("\r\n", headers) + "\r\n\r\n")
                .getBytes(ISO_8859_1);
    }

    private static boolean isHeader(String line, String name) {
        return line.length() > name.length()
                && line.charAt(name.length()) == ':'
                && line.regionMatches(true, 0, name, 0, name.length());
    }
}
