package io.stele.objectstore;

import java.util.Locale;

/**
 * A validator of object paths in Stele's own warehouses: 1 to {@value #MAX_LENGTH} characters,
 * components of {@code A-Z a-z 0-9 . _ = + @ -} joined by single slashes, no component starting
 * with a dot. Every store can hold such names unescaped, and local stores reserve names with a
 * leading dot.
 */
public final class ObjectPath {
    /** S3 allows 1,024 bytes; this leaves room for a bucket prefix. */
    public static final int MAX_LENGTH = 768;

    private static final String OTHER_CHARACTERS = "._=+@-";

    private ObjectPath() {}

    /** Returns {@code path} if it is valid. */
    public static String check(String path) {
        int length = path.length();
        if (length == 0 || length > MAX_LENGTH) {
            throw invalid(path, "1 to " + MAX_LENGTH + " characters");
        }
        boolean start = true;
        for (int i = 0; i < length; i++) {
            char c = path.charAt(i);
            if (c == '/') {
                if (start || i == length - 1) {
                    throw invalid(path, "no empty component");
                }
                start = true;
                continue;
            }
            if (!isNameCharacter(c) || (start && c == '.')) {
                throw invalid(
                        path,
                        "only letters, digits and " + OTHER_CHARACTERS + ", and no leading dot");
            }
            start = false;
        }
        return path;
    }

    /** Returns {@code prefix} if some valid path starts with it; the empty prefix is valid. */
    public static String checkPrefix(String prefix) {
        if (!prefix.isEmpty()) {
            check(prefix.endsWith("/") ? prefix + "x" : prefix);
        }
        return prefix;
    }

    private static boolean isNameCharacter(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || OTHER_CHARACTERS.indexOf(c) >= 0;
    }

    private static IllegalArgumentException invalid(String path, String expected) {
        return new IllegalArgumentException(
                String.format(
                        Locale.ROOT,
                        "Expected an object path with %s, found '%s'",
                        expected,
                        path));
    }
}
