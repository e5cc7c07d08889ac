package io.stele.objectstore.s3;

import io.stele.objectstore.TrackedObjectWriter;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;

/**
 * A writer that uploads one object to S3. An object of up to one part is a single conditional PUT
 * at the commit. A larger object is a multipart upload: the writing thread sends each part when it
 * is full, and the commit joins the parts conditionally. The writer buffers one part in memory.
 *
 * <p>Confined to one thread at a time.
 */
final class S3ObjectWriter extends TrackedObjectWriter {
    private static final int FIRST_BUFFER_BYTES = 64 << 10;
    private static final int MAX_PARTS = 10_000; // the limit of S3

    private final S3Location location;
    private final String path;
    private final S3Clients clients;
    private final S3Encryption encryption;
    private final S3Checksums checksums;
    private final S3Creation creation;
    private final String id;
    private final int partBytes;
    private final List<CompletedPart> parts = new ArrayList<>();
    private @Nullable String uploadId;
    private byte[] buffer = new byte[FIRST_BUFFER_BYTES];
    private int buffered;

    S3ObjectWriter(
            S3Location location,
            String path,
            S3Clients clients,
            S3Encryption encryption,
            S3Checksums checksums,
            S3Creation creation,
            int partBytes) {
        super(location + "/" + path);
        this.location = location;
        this.path = path;
        this.clients = clients;
        this.encryption = encryption;
        this.checksums = checksums;
        this.creation = creation;
        this.id = creation.newId();
        this.partBytes = partBytes;
    }

    @Override
    protected void append(byte[] bytes, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            if (buffered == partBytes) {
                uploadPart();
            }
            int count = Math.min(length - done, partBytes - buffered);
            reserve(buffered + count);
            System.arraycopy(bytes, offset + done, buffer, buffered, count);
            buffered += count;
            done += count;
        }
    }

    private void reserve(int size) {
        if (size > buffer.length) {
            int larger = (int) Math.min(partBytes, Math.max(size, 2L * buffer.length));
            buffer = Arrays.copyOf(buffer, larger);
        }
    }

    private void uploadPart() throws IOException {
        int number = parts.size() + 1;
        if (number > MAX_PARTS) {
            throw new IOException(
                    "Expected at most %d parts of %d bytes, found more for %s"
                            .formatted(MAX_PARTS, partBytes, where()));
        }
        RequestBody body = S3Bodies.of(buffer, buffered);
        try {
            UploadPartRequest request =
                    checksums
                            .apply(
                                    UploadPartRequest.builder()
                                            .bucket(location.bucket())
                                            .key(location.key(path))
                                            .uploadId(startedUpload())
                                            .partNumber(number),
                                    buffer,
                                    buffered)
                            .build();
            String eTag = clients.repeat(client -> client.uploadPart(request, body)).eTag();
            parts.add(
                    CompletedPart.builder()
                            .partNumber(number)
                            .eTag(eTag)
                            .checksumCRC32C(request.checksumCRC32C())
                            .build());
        } catch (SdkException e) {
            throw S3Failures.describe("upload a part of", where(), e);
        }
        buffered = 0;
    }

    private String startedUpload() {
        String started = uploadId;
        if (started == null) {
            CreateMultipartUploadRequest request =
                    checksums
                            .apply(
                                    encryption.apply(
                                            CreateMultipartUploadRequest.builder()
                                                    .bucket(location.bucket())
                                                    .key(location.key(path))))
                            .metadata(S3Creation.metadata(id))
                            .build();
            started = clients.repeat(client -> client.createMultipartUpload(request)).uploadId();
            uploadId = started;
        }
        return started;
    }

    @Override
    public void commit() throws IOException {
        checkOpen();
        try {
            if (!(uploadId == null ? putWhole() : joinParts(uploadId))) {
                throw new FileAlreadyExistsException(where());
            }
            uploadId = null;
        } finally {
            close();
        }
    }

    private boolean putWhole() throws IOException {
        PutObjectRequest request =
                checksums
                        .apply(
                                encryption.apply(
                                        PutObjectRequest.builder()
                                                .bucket(location.bucket())
                                                .key(location.key(path))),
                                buffer,
                                buffered)
                        .metadata(S3Creation.metadata(id))
                        .ifNoneMatch("*")
                        .build();
        RequestBody body = S3Bodies.of(buffer, buffered);
        return creation.create(path, id, client -> client.putObject(request, body));
    }

    private boolean joinParts(String upload) throws IOException {
        uploadPart();
        CompleteMultipartUploadRequest request =
                CompleteMultipartUploadRequest.builder()
                        .bucket(location.bucket())
                        .key(location.key(path))
                        .uploadId(upload)
                        .multipartUpload(joined -> joined.parts(parts))
                        .ifNoneMatch("*")
                        .build();
        return creation.create(path, id, client -> client.completeMultipartUpload(request));
    }

    @Override
    public void close() {
        end();
        buffer = new byte[0];
        String abandoned = uploadId;
        uploadId = null;
        if (abandoned != null) {
            try {
                clients.repeat(
                        client ->
                                client.abortMultipartUpload(
                                        abort ->
                                                abort.bucket(location.bucket())
                                                        .key(location.key(path))
                                                        .uploadId(abandoned)));
            } catch (SdkException e) {
                // The parts are not visible; the bucket's rule for incomplete uploads removes them
            }
        }
    }
}
