package io.stele.objectstore;

import java.util.Locale;

/**
 * The rule by which an object store validates the paths of its callers: Stele's own names, or any
 * names in a lake.
 */
public enum PathRule {
    /** The names that Stele gives in its own warehouses: see {@link ObjectPath}. */
    STELE,
    /**
     * Any names that a file system can hold, as in a lake that other programs write: components of
     * any characters but control characters, joined by single slashes, none of them {@code .} or
     * {@code ..}.
     */
    ANY;

    /** The limit of Linux; HDFS has 8,000, and S3 1,024 bytes, which it checks itself. */
    private static final int MAX_LENGTH = 4096;

    /** Returns {@code path} if it is valid. */
    public String check(String path) {
        return switch (this) {
            case STELE -> ObjectPath.check(path);
            case ANY -> checkAny(path);
        };
    }

    /** Returns {@code prefix} if some valid path starts with it; the empty prefix is valid. */
    public String checkPrefix(String prefix) {
        if (!prefix.isEmpty()) {
            check(prefix.endsWith("/") ? prefix + "x" : prefix);
        }
        return prefix;
    }

    private static String checkAny(String path) {
        if (path.isEmpty() || path.length() > MAX_LENGTH) {
            throw invalid(path, "1 to " + MAX_LENGTH + " characters");
        }
        int start = 0;
        for (int i = 0; i <= path.length(); i++) {
            if (i == path.length() || path.charAt(i) == '/') {
                checkComponent(path, start, i);
                start = i + 1;
            } else if (!isCharacter(path, i)) {
                throw invalid(path, "no control character and no half of a surrogate pair");
            }
        }
        return path;
    }

    private static void checkComponent(String path, int start, int end) {
        int length = end - start;
        boolean dots =
                (length == 1 && path.charAt(start) == '.')
                        || (length == 2 && path.startsWith("..", start));
        if (length == 0 || dots) {
            throw invalid(path, "no component that is empty, '.' or '..'");
        }
    }

    private static boolean isCharacter(String path, int index) {
        char c = path.charAt(index);
        if (Character.isHighSurrogate(c)) {
            return index + 1 < path.length() && Character.isLowSurrogate(path.charAt(index + 1));
        }
        if (Character.isLowSurrogate(c)) {
            return index > 0 && Character.isHighSurrogate(path.charAt(index - 1));
        }
        return c >= ' ' && c != 0x7f;
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
