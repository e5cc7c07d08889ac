package io.stele.objectstore.hadoop;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The location of a directory on a Hadoop file system: {@code hdfs://host:port/path}, or another
 * scheme that Hadoop's configuration mounts.
 *
 * @param uri with a scheme, a path without slash at its end, and nothing behind the path; without
 *     authority for the file system that {@code fs.defaultFS} names
 */
public record HadoopLocation(URI uri) {
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]*://.*");

    /** Schemes that have a client of their own here, or none that creates atomically. */
    private static final Set<String> OTHERS = Set.of("s3", "s3a", "s3n", "file");

    public HadoopLocation {
        requireNonNull(uri, "uri is null");
        String path = uri.getPath();
        if (uri.getScheme() == null
                || OTHERS.contains(uri.getScheme())
                || uri.getUserInfo() != null
                || uri.getQuery() != null
                || uri.getFragment() != null
                || path == null
                || !path.startsWith("/")
                || path.length() == 1
                || path.endsWith("/")
                || !path.equals(uri.normalize().getPath())) {
            throw unexpected(uri.toString());
        }
    }

    /** Whether a text is meant as a location of a file system of Hadoop. */
    public static boolean matches(String text) {
        return SCHEME.matcher(text).matches()
                && !OTHERS.contains(text.substring(0, text.indexOf(':')));
    }

    /**
     * Reads {@code scheme://host[:port]/path[/]}.
     *
     * @throws IllegalArgumentException if the text is anything else
     */
    public static HadoopLocation parse(String text) {
        if (!matches(text)) {
            throw unexpected(text);
        }
        try {
            return new HadoopLocation(
                    new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(unexpected(text).getMessage(), e);
        }
    }

    private static IllegalArgumentException unexpected(String found) {
        return new IllegalArgumentException(
                String.format(
                        Locale.ROOT,
                        "Expected hdfs://host:port/path with a folder as path, found '%s'",
                        found));
    }

    @Override
    public String toString() {
        return uri.toString();
    }
}
