package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.FolderLevel;
import io.stele.objectstore.FolderStore;
import io.stele.objectstore.NonBlocking;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectWriter;
import io.stele.objectstore.PathRule;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.objectstore.retrieval.DownloadManager;
import io.stele.objectstore.retrieval.RangeRead;
import io.stele.objectstore.retrieval.ReadingAhead;
import io.stele.objectstore.retrieval.RetrievalConfig;
import io.stele.objectstore.retrieval.RetrievalStatistics;
import io.stele.objectstore.retrieval.RetrievalThreads;
import io.stele.objectstore.retrieval.TransientReadException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
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
 * An object store in a bucket of S3, or of a compatible service that creates objects atomically
 * with {@code If-None-Match: *}. A {@link DownloadManager} reads objects; objects larger than a
 * part are uploaded in parts. The download manager and the SDK repeat requests that may be
 * repeated. {@link S3Creation} repeats creations, and determines their outcomes.
 *
 * <p>Safe for use by many threads. Closing it closes its connections.
 */
public final class S3ObjectStore implements FolderStore {
    private final S3Location location;
    private final S3Clients clients;
    private final DownloadManager downloads;
    private final ReadingAhead ahead;
    private final S3Encryption encryption;
    private final S3Checksums checksums;
    private final S3Creation creation;
    private final int partBytes;
    private final PathRule rule;
    private final S3Folders folders;

    private S3ObjectStore(
            S3Location location,
            PathRule rule,
            S3Clients clients,
            DownloadManager downloads,
            ReadingAhead ahead,
            S3Encryption encryption,
            S3Checksums checksums,
            S3Creation creation,
            int partBytes) {
        this.location = location;
        this.clients = clients;
        this.downloads = downloads;
        this.ahead = ahead;
        this.encryption = encryption;
        this.checksums = checksums;
        this.creation = creation;
        this.partBytes = partBytes;
        this.rule = requireNonNull(rule, "rule is null");
        this.folders = new S3Folders(location, clients);
    }

    /**
     * A store at a location, without any request to it yet.
     *
     * @param random draws the UUIDs of creations, and the lengths of pauses; safe for many threads
     * @param sleepMillis makes the calling thread wait
     * @param threads of reads
     * @throws IOException if its threads cannot get their system resources
     */
    public static S3ObjectStore open(
            S3Location location,
            S3Config config,
            RetrievalConfig retrieval,
            RandomGenerator random,
            LongConsumer sleepMillis,
            RetrievalThreads threads)
            throws IOException {
        return open(location, PathRule.STELE, config, retrieval, random, sleepMillis, threads);
    }

    /**
     * A store at a location, without any request to it yet.
     *
     * @param rule for the paths of its objects
     */
    public static S3ObjectStore open(
            S3Location location,
            PathRule rule,
            S3Config config,
            RetrievalConfig retrieval,
            RandomGenerator random,
            LongConsumer sleepMillis,
            RetrievalThreads threads)
            throws IOException {
        requireNonNull(location, "location is null");
        requireNonNull(config, "config is null");
        S3Clients clients = S3Clients.of(config, new ServiceClock(threads.wallClock()));
        DownloadManager downloads =
                S3Downloads.start(location, config, retrieval, clients, random, threads);
        return new S3ObjectStore(
                location,
                rule,
                clients,
                downloads,
                ReadingAhead.of(retrieval.getMaxAhead().toBytes(), threads, downloads::latency),
                new S3Encryption(config.getSseType(), config.getSseKmsKeyId()),
                new S3Checksums(config.isChecksumsEnabled()),
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
        rule.check(path);
        if (length == 0) {
            checkEnd(path, offset, 0, size(path));
            return;
        }
        read(path, offset, ByteBuffer.wrap(buffer, bufferOffset, length));
    }

    /**
     * Fills the remaining bytes of a buffer, without a copy if it is off-heap. Its position does
     * not change.
     *
     * @throws EOFException if the object ends before
     */
    public void read(String path, long offset, ByteBuffer target) throws IOException {
        NonBlocking.check();
        int length = target.remaining();
        try {
            downloads.readAll(
                    rule.check(path),
                    List.of(new RangeRead(new ByteRange(offset, length), target)));
        } catch (EOFException e) {
            checkEnd(path, offset, length, size(path));
            throw e; // the object has grown since
        } catch (TransientReadException e) {
            throw failed(path, e);
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

    private IOException failed(String path, TransientReadException e) {
        return new IOException("Cannot read %s: %s".formatted(describe(path), e.getMessage()), e);
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        NonBlocking.check();
        try {
            return downloads.readFully(rule.check(path));
        } catch (TransientReadException e) {
            throw failed(path, e);
        }
    }

    @Override
    public Optional<ReadingAhead> readingAhead() {
        return Optional.of(ahead);
    }

    @Override
    public Optional<RetrievalStatistics> retrieval() {
        return Optional.of(downloads.statistics());
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
        PutObjectRequest.Builder request =
                putRequest(path, content).metadata(S3Creation.metadata(id));
        PutObjectRequest conditional = request.ifNoneMatch("*").build();
        RequestBody body = S3Bodies.of(content, content.length);
        return creation.create(path, id, client -> client.putObject(conditional, body));
    }

    @Override
    public void put(String path, byte[] content) throws IOException {
        try {
            PutObjectRequest request = putRequest(path, content).build();
            RequestBody body = S3Bodies.of(content, content.length);
            clients.repeat(client -> client.putObject(request, body));
            downloads.forget(path); // later readers must get these bytes
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
                putRequest(path, content)
                        .metadata(S3Creation.metadata(id))
                        .ifMatch(tag.get())
                        .build();
        RequestBody body = S3Bodies.of(content, content.length);
        boolean swapped = creation.swap(path, id, client -> client.putObject(request, body));
        downloads.forget(path);
        return swapped;
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

    private <T> T get(
            Consumer<GetObjectRequest.Builder> request,
            ResponseTransformer<GetObjectResponse, T> reader) {
        return clients.repeat(client -> client.getObject(request, reader));
    }

    /**
     * Reads the announced bytes; a connection that ends early is a failure for which the request is
     * repeated.
     */
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

    private PutObjectRequest.Builder putRequest(String path, byte[] content) {
        return checksums.apply(
                encryption.apply(
                        PutObjectRequest.builder().bucket(location.bucket()).key(key(path))),
                content,
                content.length);
    }

    @Override
    public ObjectWriter create(String path) {
        return new S3ObjectWriter(
                location, rule.check(path), clients, encryption, checksums, creation, partBytes);
    }

    @Override
    public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
        String keyPrefix = location.key(rule.checkPrefix(prefix));
        ListObjectsV2Request.Builder request =
                ListObjectsV2Request.builder().bucket(location.bucket()).prefix(keyPrefix);
        try {
            boolean more = true;
            while (more) {
                ListObjectsV2Request next = request.build();
                ListObjectsV2Response page = clients.repeat(client -> client.listObjectsV2(next));
                for (S3Object object : page.contents()) {
                    // Skip the marker objects that consoles and file systems create for folders
                    if (!object.key().endsWith("/")) {
                        action.accept(
                                new ObjectEntry(
                                        location.path(object.key()),
                                        object.size(),
                                        // An object without a time counts as young
                                        Objects.requireNonNullElse(
                                                object.lastModified(), Instant.MAX)));
                    }
                }
                more = Boolean.TRUE.equals(page.isTruncated());
                request.continuationToken(page.nextContinuationToken());
            }
        } catch (SdkException e) {
            throw S3Failures.describe("list", location + "/" + prefix, e);
        }
    }

    @Override
    public List<String> folders(String folder) throws IOException {
        return listLevel(folder).folders();
    }

    @Override
    public void delete(String path) throws IOException {
        String key = key(path);
        try {
            clients.repeat(
                    client ->
                            client.deleteObject(
                                    delete -> delete.bucket(location.bucket()).key(key)));
            downloads.forget(path);
        } catch (SdkException e) {
            // S3 reports no error for missing objects; other services do
            if (!S3Failures.isMissing(e)) {
                throw S3Failures.describe("delete", describe(path), e);
            }
        }
    }

    @Override
    public Optional<ObjectEntry> find(String path) throws IOException {
        return folders.find(rule.check(path));
    }

    @Override
    public boolean hasFolder(String folder) throws IOException {
        return folders.exists(rule.checkPrefix(folder));
    }

    @Override
    public FolderLevel listLevel(String folder) throws IOException {
        return folders.list(rule.checkPrefix(folder));
    }

    @Override
    public void createFolder(String folder) throws IOException {
        folders.create(rule.checkPrefix(folder));
    }

    @Override
    public boolean deleteFolder(String folder, boolean recursive) throws IOException {
        return folders.delete(rule.check(folder), recursive, downloads::forget);
    }

    @Override
    public boolean rename(String from, String to) throws IOException {
        rule.check(to);
        Optional<ObjectEntry> object = find(from);
        if (object.isPresent()) {
            return renameObject(object.get(), to);
        }
        List<String> all = folders.all(from);
        if (all.isEmpty() || find(to).isPresent() || hasFolder(to)) {
            return false;
        }
        for (String path : all) {
            String moved = to + path.substring(from.length());
            if (moved.endsWith("/")) {
                folders.create(moved.substring(0, moved.length() - 1));
            } else {
                folders.copy(path, moved);
            }
        }
        return deleteFolder(from, true);
    }

    /** Renames a small object, such as a commit, by a creation that replaces nothing. */
    private boolean renameObject(ObjectEntry from, String to) throws IOException {
        if (from.sizeBytes() <= partBytes) {
            if (!createIfAbsent(to, readFully(from.path()))) {
                return false;
            }
        } else if (find(to).isPresent()) {
            return false;
        } else {
            folders.copy(from.path(), to);
        }
        delete(from.path());
        return true;
    }

    private String key(String path) {
        return location.key(rule.check(path));
    }

    @Override
    public String describe(String path) {
        return location + "/" + path;
    }

    @Override
    public void close() throws IOException {
        try {
            downloads.close();
        } finally {
            clients.close();
        }
    }
}
