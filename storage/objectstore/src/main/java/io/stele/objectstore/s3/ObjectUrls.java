package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.net.URI;

/**
 * A builder of the URLs of a bucket's objects for signed S3 requests. It percent-encodes all
 * characters of a key except unreserved ones and slashes, as signatures require (SigV4, {@code
 * UriEncode}). Thread-safe.
 *
 * @param bucket the URL of the bucket, which ends with a slash
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
