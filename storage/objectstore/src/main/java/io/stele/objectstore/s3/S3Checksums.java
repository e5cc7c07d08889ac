package io.stele.objectstore.s3;

import io.stele.objectstore.retrieval.ContentRange;
import io.stele.objectstore.retrieval.RangeRequest;
import io.stele.objectstore.retrieval.http.ResponseHead;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.OptionalInt;
import java.util.zip.CRC32C;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/**
 * The CRC32C checksums of S3 requests and responses: sent with each written object and part, and
 * compared when a whole object is read. The service compares the sent checksum with the bytes that
 * it received. Ranges of objects have no checksum.
 *
 * @param isEnabled whether checksums are sent and requested
 */
record S3Checksums(boolean isEnabled) {
    static final String MODE_HEADER = "x-amz-checksum-mode";
    static final String MODE_ENABLED = "ENABLED";

    private static final String HEADER = "x-amz-checksum-crc32c";

    PutObjectRequest.Builder apply(PutObjectRequest.Builder request, byte[] content, int length) {
        return isEnabled ? request.checksumCRC32C(encoded(content, length)) : request;
    }

    CreateMultipartUploadRequest.Builder apply(CreateMultipartUploadRequest.Builder request) {
        return isEnabled ? request.checksumAlgorithm(ChecksumAlgorithm.CRC32_C) : request;
    }

    UploadPartRequest.Builder apply(UploadPartRequest.Builder request, byte[] content, int length) {
        return isEnabled ? request.checksumCRC32C(encoded(content, length)) : request;
    }

    private static String encoded(byte[] content, int length) {
        CRC32C crc = new CRC32C();
        crc.update(content, 0, length);
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Whether to request the checksum: the response may be a whole object. */
    boolean isAskedFor(RangeRequest request) {
        return isEnabled && request.range().offset() == 0;
    }

    /**
     * The checksum that a response's body must have; empty if it is a part of an object, or an
     * object of joined parts.
     */
    OptionalInt expected(ResponseHead head, ContentRange part) {
        boolean isWhole = part.first() == 0 && part.last() + 1 == part.sizeBytes();
        return isEnabled && isWhole
                ? head.find(HEADER).map(S3Checksums::decoded).orElse(OptionalInt.empty())
                : OptionalInt.empty();
    }

    /**
     * Decodes a checksum; empty for an object of joined parts, whose value is computed from the
     * parts' checksums and ends with the number of parts.
     */
    private static OptionalInt decoded(String value) {
        try {
            byte[] bytes = Base64.getDecoder().decode(value);
            return bytes.length == Integer.BYTES
                    ? OptionalInt.of(ByteBuffer.wrap(bytes).getInt())
                    : OptionalInt.empty();
        } catch (IllegalArgumentException e) {
            return OptionalInt.empty();
        }
    }
}
