package io.stele.objectstore.retrieval;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of an object that a response contains, as HTTP's header {@code Content-Range} states it.
 *
 * @param last offset, inclusive
 */
public record ContentRange(long first, long last, long sizeBytes) {
    private static final Pattern HEADER =
            Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");
    private static final int SHOWN_CHARS = 100;

    /**
     * Reads {@code bytes 0-9/100}.
     *
     * @throws IOException if it is anything else
     */
    public static ContentRange parse(String header) throws IOException {
        Matcher matcher = HEADER.matcher(header);
        if (!matcher.matches()) {
            throw new IOException(
                    "Expected a content range, found "
                            + header.substring(0, Math.min(header.length(), SHOWN_CHARS)));
        }
        return new ContentRange(
                Long.parseLong(matcher.group(1)),
                Long.parseLong(matcher.group(2)),
                Long.parseLong(matcher.group(3)));
    }
}
