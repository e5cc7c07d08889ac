package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.ObjectPath;
import java.util.Locale;

/**
 * The location of a store on S3: a bucket, or a prefix of its keys ({@code s3://bucket/prefix}).
 *
 * @param prefix of all keys, without slashes at its ends; may be empty
 */
public record S3Location(String bucket, String prefix) {
    /** S3 allows keys of 1,024 bytes. */
    private static final int MAX_PREFIX_LENGTH = 1024 - ObjectPath.MAX_LENGTH - 1;

    private static final String SCHEME = "s3://";

    public S3Location {
        requireNonNull(bucket, "bucket is null");
        requireNonNull(prefix, "prefix is null");
        if (bucket.isEmpty() || bucket.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT, "Expected the name of a bucket, found '%s'", bucket));
        }
        if (!prefix.isEmpty()) {
            ObjectPath.check(prefix);
        }
        if (prefix.length() > MAX_PREFIX_LENGTH) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a prefix of at most %d characters, found %d in s3://%s/%s",
                            MAX_PREFIX_LENGTH,
                            prefix.length(),
                            bucket,
                            prefix));
        }
    }

    /** Whether a text is meant as a location on S3. */
    public static boolean matches(String text) {
        return text.startsWith(SCHEME);
    }

    /**
     * Reads {@code s3://bucket[/prefix][/]}.
     *
     * @throws IllegalArgumentException if the text is anything else
     */
    public static S3Location parse(String text) {
        if (!matches(text)) {
            throw new IllegalArgumentException(
                    String.format(Locale.ROOT, "Expected s3://bucket/prefix, found '%s'", text));
        }
        String rest = text.substring(SCHEME.length());
        int slash = rest.indexOf('/');
        if (slash < 0) {
            return new S3Location(rest, "");
        }
        String prefix = rest.substring(slash + 1);
        return new S3Location(
                rest.substring(0, slash),
                prefix.length() > 1 && prefix.endsWith("/")
                        ? prefix.substring(0, prefix.length() - 1)
                        : prefix);
    }

    /** The key of an object, or of a prefix of objects. */
    String key(String path) {
        return prefix.isEmpty() ? path : prefix + "/" + path;
    }

    /** The path of an object that has this key, which starts with {@code key("")}. */
    String path(String key) {
        return key.substring(key("").length());
    }

    /** {@code s3://bucket/prefix}. */
    @Override
    public String toString() {
        return prefix.isEmpty() ? SCHEME + bucket : SCHEME + bucket + "/" + prefix;
    }
}
