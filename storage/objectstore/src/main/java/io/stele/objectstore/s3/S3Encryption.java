package io.stele.objectstore.s3;

import java.util.Optional;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * The server-side encryption settings that are added to each request that creates an S3 object.
 *
 * @param kmsKeyId the key of KMS; empty for the default key of AWS
 */
record S3Encryption(S3Config.SseType type, Optional<String> kmsKeyId) {
    PutObjectRequest.Builder apply(PutObjectRequest.Builder request) {
        algorithm().ifPresent(request::serverSideEncryption);
        kmsKeyId.ifPresent(request::ssekmsKeyId);
        return request;
    }

    CreateMultipartUploadRequest.Builder apply(CreateMultipartUploadRequest.Builder request) {
        algorithm().ifPresent(request::serverSideEncryption);
        kmsKeyId.ifPresent(request::ssekmsKeyId);
        return request;
    }

    private Optional<ServerSideEncryption> algorithm() {
        return switch (type) {
            case NONE -> Optional.empty();
            case S3 -> Optional.of(ServerSideEncryption.AES256);
            case KMS -> Optional.of(ServerSideEncryption.AWS_KMS);
        };
    }
}
