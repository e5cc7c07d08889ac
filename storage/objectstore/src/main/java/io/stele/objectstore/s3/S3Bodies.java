package io.stele.objectstore.s3;

import java.io.ByteArrayInputStream;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * A factory of SDK request bodies for uploads that share the byte array, which the SDK's own
 * factory would copy.
 */
final class S3Bodies {
    private static final String CONTENT_TYPE = "application/octet-stream";

    private S3Bodies() {}

    /** The first bytes of an array that does not change until the request has ended. */
    static RequestBody of(byte[] content, int length) {
        return RequestBody.fromContentProvider(
                () -> new ByteArrayInputStream(content, 0, length), length, CONTENT_TYPE);
    }
}
