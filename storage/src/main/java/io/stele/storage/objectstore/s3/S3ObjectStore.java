package io.stele.storage.objectstore.s3;

import static java.util.Objects.requireNonNull;

import io.stele.storage.objectstore.NonBlocking;
import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.objectstore.ObjectPath;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.ObjectWriter;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects in a bucket of S3 or of a service that speaks its protocol and creates atomically with
 * {@code If-None-Match: *}. Each read is one GET of its range; objects larger than a part are
 * uploaded in parts. What may be repeated is, by the SDK; creations are repeated by {@link
 * S3Creation}, which finds out what became of them.
 *
 * <p>Safe for use by many threads. Closing it closes its connections.
 */
public final class S3ObjectStore implements ObjectStore {
    private final S3Location location;
    private final S3Clients clients;
    private final S3Encryption encryption;
    private final S3Creation creation;
    private final int partBytes;

    private S3ObjectStore(
            S3Location location,
            S3Clients clients,
            S3Encryption encryption,
            S3Creation creation,
            int partBytes) {
        this.location = location;
        this.clients = clients;
        this.encryption = encryption;
        this.creation = creation;
        this.partBytes = partBytes;
    }

    /**
     * A store at a location, which nothing is asked of yet.
     *
     * @param random makes the UUIDs of creations, and spreads pauses; safe for many threads
     * @param sleepMillis lets the calling thread wait
     */
    public static S3ObjectStore open(
            S3Location location,
            S3Config config,
            RandomGenerator random,
            LongConsumer sleepMillis) {
        requireNonNull(location, "location is null");
        requireNonNull(config, "config is null");
        S3Clients clients = S3Clients.of(config);
        return new S3ObjectStore(
                location,
                clients,
                new S3Encryption(config.getSseType(), config.getSseKmsKeyId()),
                new S3Creation(clients, location, random, sleepMillis),
                Math.toIntExact(config.getStreamingPartSize().toBytes()));
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        NonBlocking.check();
        String key = key(path);
        if (length == 0) {
            checkEnd(path, offset, 0, size(path));
            return;
        }
        String range = "bytes=" + offset + "-" + (offset + length - 1);
        try {
            long end =
                    get(
                            get -> get.bucket(location.bucket()).key(key).range(range),
                            (answer, body) -> {
                                long size = sizeOf(answer, offset, range, path);
                                int count = (int) Math.min(length, size - offset);
                                readFully(body, buffer, bufferOffset, count, path);
                                return size;
                            });
            checkEnd(path, offset, length, end);
        } catch (SdkException e) {
            if (S3Failures.isBehindEnd(e)) {
                checkEnd(path, offset, length, size(path));
            }
            throw S3Failures.describe("read", describe(path), e);
        }
    }

    private void checkEnd(String path, long offset, int length, long sizeBytes)
            throws EOFException {
        if (offset + length > sizeBytes) {
            throw new EOFException(
                    String.format(
                            Locale.ROOT,
                            "Expected %d bytes at offset %d, found the end of %s at %d",
                            length,
                            offset,
                            describe(path),
                            sizeBytes));
        }
    }

    /** The size of the object whose range is answered, from {@code bytes 0-9/100}. */
    private long sizeOf(GetObjectResponse answer, long offset, String asked, String path)
            throws IOException {
        String found = String.valueOf(answer.contentRange());
        int slash = found.lastIndexOf('/');
        if (!found.startsWith("bytes " + offset + "-") || slash < 0) {
            throw new IOException(
                    "Expected the range %s, found %s in the answer for %s"
                            .formatted(asked, found, describe(path)));
        }
        try {
            return Long.parseLong(found.substring(slash + 1));
        } catch (NumberFormatException e) {
            throw new IOException(
                    "Expected the size of the object in the range, found %s in the answer for %s"
                            .formatted(found, describe(path)),
                    e);
        }
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        NonBlocking.check();
        String key = key(path);
        try {
            return get(
                    get -> get.bucket(location.bucket()).key(key),
                    (answer, body) -> {
                        long size = requireNonNull(answer.contentLength(), "no length");
                        if (size > Integer.MAX_VALUE - 16) {
                            throw new IOException(
                                    "Expected an object that fits an array, found %d bytes in %s"
                                            .formatted(size, describe(path)));
                        }
                        byte[] content = new byte[(int) size];
                        readFully(body, content, 0, content.length, path);
                        return content;
                    });
        } catch (SdkException e) {
            throw S3Failures.describe("read", describe(path), e);
        }
    }

    private <T> T get(
            Consumer<GetObjectRequest.Builder> request,
            ResponseTransformer<GetObjectResponse, T> reader) {
        return clients.repeat(client -> client.getObject(request, reader));
    }

    /** Reads bytes that were announced; if the connection ends before, the request is repeated. */
    private void readFully(
            AbortableInputStream body, byte[] buffer, int offset, int length, String path) {
        int count;
        try {
            count = body.readNBytes(buffer, offset, length);
        } catch (IOException e) {
            throw RetryableException.create("Cannot read the answer for " + describe(path), e);
        }
        if (count < length) {
            throw RetryableException.create(
                    "Expected %d bytes, found the end of the answer after %d for %s"
                            .formatted(length, count, describe(path)));
        }
    }

    @Override
    public long size(String path) throws IOException {
        String key = key(path);
        try {
            return clients.repeat(
                            client ->
                                    client.headObject(
                                            head -> head.bucket(location.bucket()).key(key)))
                    .contentLength();
        } catch (SdkException e) {
            throw S3Failures.describe("find", describe(path), e);
        }
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        String id = creation.newId();
        PutObjectRequest.Builder request = put(path).metadata(S3Creation.metadata(id));
        PutObjectRequest conditional = request.ifNoneMatch("*").build();
        RequestBody body = S3Bodies.of(content, content.length);
        return creation.create(path, id, client -> client.putObject(conditional, body));
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        try {
            PutObjectRequest request = put(path).build();
            RequestBody body = S3Bodies.of(content, content.length);
            clients.repeat(client -> client.putObject(request, body));
        } catch (SdkException e) {
            throw S3Failures.describe("write", describe(path), e);
        }
    }

    @Override
    public boolean supportsCompareAndSwap() {
        return true;
    }

    @Override
    public boolean compareAndSwap(String path, byte[] expected, byte[] content) throws IOException {
        Optional<String> tag = tagOf(path, expected);
        if (tag.isEmpty()) {
            return false;
        }
        String id = creation.newId();
        PutObjectRequest request =
                put(path).metadata(S3Creation.metadata(id)).ifMatch(tag.get()).build();
        RequestBody body = S3Bodies.of(content, content.length);
        return creation.swap(path, id, client -> client.putObject(request, body));
    }

    /** The entity tag of the object; empty if it is not there or has another content. */
    private Optional<String> tagOf(String path, byte[] expected) throws IOException {
        String key = key(path);
        try {
            return get(
                    get -> get.bucket(location.bucket()).key(key),
                    (answer, body) -> {
                        if (requireNonNull(answer.contentLength(), "no length")
                                != expected.length) {
                            body.abort();
                            return Optional.empty();
                        }
                        byte[] found = new byte[expected.length];
                        readFully(body, found, 0, found.length, path);
                        return Arrays.equals(found, expected)
                                ? Optional.of(answer.eTag())
                                : Optional.empty();
                    });
        } catch (SdkException e) {
            if (S3Failures.isMissing(e)) {
                return Optional.empty();
            }
            throw S3Failures.describe("read", describe(path), e);
        }
    }

    private PutObjectRequest.Builder put(String path) {
        return encryption.apply(
                PutObjectRequest.builder().bucket(location.bucket()).key(key(path)));
    }

    @Override
    public ObjectWriter create(String path) {
        return new S3ObjectWriter(
                location, ObjectPath.check(path), clients, encryption, creation, partBytes);
    }

    @Override
    public List<ObjectEntry> list(String prefix) throws IOException {
        String keyPrefix = location.key(ObjectPath.checkPrefix(prefix));
        List<ObjectEntry> entries = new ArrayList<>();
        ListObjectsV2Request.Builder request =
                ListObjectsV2Request.builder().bucket(location.bucket()).prefix(keyPrefix);
        try {
            boolean more = true;
            while (more) {
                ListObjectsV2Request next = request.build();
                ListObjectsV2Response page = clients.repeat(client -> client.listObjectsV2(next));
                for (S3Object object : page.contents()) {
                    // What consoles and file systems make to show a folder is no object of ours
                    if (!object.key().endsWith("/")) {
                        entries.add(new ObjectEntry(location.path(object.key()), object.size()));
                    }
                }
                more = Boolean.TRUE.equals(page.isTruncated());
                request.continuationToken(page.nextContinuationToken());
            }
        } catch (SdkException e) {
            throw S3Failures.describe("list", location + "/" + prefix, e);
        }
        // Some services list by folder
        entries.sort(Comparator.comparing(ObjectEntry::path));
        return List.copyOf(entries);
    }

    @Override
    public void delete(String path) throws IOException {
        String key = key(path);
        try {
            clients.repeat(
                    client ->
                            client.deleteObject(
                                    delete -> delete.bucket(location.bucket()).key(key)));
        } catch (SdkException e) {
            // S3 says nothing of objects that are not there, others do
            if (!S3Failures.isMissing(e)) {
                throw S3Failures.describe("delete", describe(path), e);
            }
        }
    }

    private String key(String path) {
        return location.key(ObjectPath.check(path));
    }

    @Override
    public String describe(String path) {
        return location + "/" + path;
    }

    @Override
    public void close() {
        clients.close();
    }
}
