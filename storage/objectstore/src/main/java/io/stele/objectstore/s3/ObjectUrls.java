package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.net.URI;

/**
 * URLs of a bucket's objects: where the bucket is, and the key with all but unreserved characters
 * and slashes in hexadecimal, as signatures want it (SigV4, {@code UriEncode}). Thread-safe.
 *
 * @param bucket its URL, which ends with a slash
 */
record ObjectUrls(String bucket) {
    private static final String HEXADECIMAL = "0123456789ABCDEF";

    ObjectUrls {
        requireNonNull(bucket, "bucket is null");
        if (!bucket.endsWith("/")) {
            throw new IllegalArgumentException("Expected a slash at the end, found " + bucket);
        }
    }

    URI url(String key) {
        StringBuilder url = new StringBuilder(bucket.length() + key.length() + 16).append(bucket);
        for (byte next : key.getBytes(UTF_8)) {
            if (isPlain(next)) {
                url.append((char) next);
            } else {
                url.append('%')
                        .append(HEXADECIMAL.charAt(next >> 4 & 0xf))
                        .append(HEXADECIMAL.charAt(next & 0xf));
            }
        }
        return URI.create(url.toString());
    }

    private static boolean isPlain(byte next) {
        return next >= 'a' && next <= 'z'
                || next >= 'A' && next <= 'Z'
                || next >= '0' && next <= '9'
                || next == '-'
                || next == '.'
                || next == '_'
                || next == '~'
                || next == '/';
    }
}
