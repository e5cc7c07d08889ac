package io.stele.objectstore.s3;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.FolderLevel;
import io.stele.objectstore.ObjectEntry;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The folder operations of an S3 object store: find, list, create, delete and copy, by requests to
 * the bucket. A folder is a prefix of keys that ends with a slash. An empty folder is an empty
 * object whose key ends with a slash, as other clients of S3 make it too. Thread-safe.
 */
final class S3Folders {
    private final S3Location location;
    private final S3Clients clients;

    S3Folders(S3Location location, S3Clients clients) {
        this.location = requireNonNull(location, "location is null");
        this.clients = requireNonNull(clients, "clients is null");
    }

    Optional<ObjectEntry> find(String path) throws IOException {
        String key = location.key(path);
        try {
            HeadObjectResponse found =
                    clients.repeat(
                            client ->
                                    client.headObject(
                                            head -> head.bucket(location.bucket()).key(key)));
            return Optional.of(
                    new ObjectEntry(path, found.contentLength(), time(found.lastModified())));
        } catch (SdkException e) {
            if (S3Failures.isMissing(e)) {
                return Optional.empty();
            }
            throw S3Failures.describe("find", describe(path), e);
        }
    }

    /** An object without a time counts as young. */
    private static Instant time(@Nullable Instant modified) {
        return Objects.requireNonNullElse(modified, Instant.MAX);
    }

    boolean exists(String folder) throws IOException {
        ListObjectsV2Request request = request(folder).maxKeys(1).build();
        return send(folder, request).hasContents();
    }

    FolderLevel list(String folder) throws IOException {
        String start = prefix(folder);
        List<ObjectEntry> objects = new ArrayList<>();
        TreeSet<String> folders = new TreeSet<>(); // pages may overlap by a folder
        forEachPage(
                folder,
                request(folder).delimiter("/"),
                page -> {
                    for (S3Object object : page.contents()) {
                        if (!object.key().endsWith("/")) {
                            objects.add(entry(object));
                        }
                    }
                    for (CommonPrefix common : page.commonPrefixes()) {
                        String name = common.prefix().substring(start.length());
                        if (name.length() > 1) {
                            folders.add(name.substring(0, name.length() - 1));
                        }
                    }
                });
        objects.sort(Comparator.comparing(ObjectEntry::path));
        return new FolderLevel(objects, List.copyOf(folders));
    }

    private ObjectEntry entry(S3Object object) {
        return new ObjectEntry(
                location.path(object.key()), object.size(), time(object.lastModified()));
    }

    /** Creates one empty object, unless the folder contains objects. */
    void create(String folder) throws IOException {
        if (folder.isEmpty() || exists(folder)) {
            return;
        }
        try {
            clients.repeat(
                    client ->
                            client.putObject(
                                    put -> put.bucket(location.bucket()).key(prefix(folder)),
                                    S3Bodies.of(new byte[0], 0)));
        } catch (SdkException e) {
            throw S3Failures.describe("create", describe(folder), e);
        }
    }

    /**
     * @param deleted receives the path of each deleted object
     */
    boolean delete(String folder, boolean recursive, Consumer<String> deleted) throws IOException {
        String own = prefix(folder);
        if (!recursive) {
            ListObjectsV2Response some = send(folder, request(folder).maxKeys(2).build());
            if (some.contents().stream().anyMatch(object -> !object.key().equals(own))) {
                throw new DirectoryNotEmptyException(describe(folder));
            }
        }
        boolean[] any = {false};
        forEachPage(
                folder,
                request(folder),
                page -> {
                    List<String> keys = page.contents().stream().map(S3Object::key).toList();
                    if (!keys.isEmpty()) {
                        any[0] = true;
                        deleteAll(folder, keys);
                        keys.forEach(key -> deleted.accept(location.path(key)));
                    }
                });
        return any[0];
    }

    /**
     * Deletes the keys of one page of a listing by one request; a page has no more keys than such a
     * request may have.
     */
    private void deleteAll(String folder, List<String> keys) throws IOException {
        List<ObjectIdentifier> all =
                keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
        try {
            var answer =
                    clients.repeat(
                            client ->
                                    client.deleteObjects(
                                            delete ->
                                                    delete.bucket(location.bucket())
                                                            .delete(
                                                                    them ->
                                                                            them.objects(all)
                                                                                    .quiet(true))));
            if (answer.hasErrors() && !answer.errors().isEmpty()) {
                var first = answer.errors().getFirst();
                throw new IOException(
                        "Cannot delete %s objects in %s, the first %s: %s"
                                .formatted(
                                        answer.errors().size(),
                                        describe(folder),
                                        first.key(),
                                        first.message()));
            }
        } catch (SdkException e) {
            throw S3Failures.describe("delete", describe(folder), e);
        }
    }

    /**
     * The paths of all objects in a folder and in the folders below it, and of the folders' marker
     * objects.
     */
    List<String> all(String folder) throws IOException {
        List<String> paths = new ArrayList<>();
        forEachPage(
                folder,
                request(folder),
                page -> page.contents().forEach(object -> paths.add(location.path(object.key()))));
        return paths;
    }

    /** Copies an object within the service; replaces an existing target. */
    void copy(String from, String to) throws IOException {
        try {
            clients.repeat(
                    client ->
                            client.copyObject(
                                    copy ->
                                            copy.sourceBucket(location.bucket())
                                                    .sourceKey(location.key(from))
                                                    .destinationBucket(location.bucket())
                                                    .destinationKey(location.key(to))));
        } catch (SdkException e) {
            throw S3Failures.describe("copy", describe(from), e);
        }
    }

    private interface Page {
        void accept(ListObjectsV2Response page) throws IOException;
    }

    private void forEachPage(String folder, ListObjectsV2Request.Builder request, Page reader)
            throws IOException {
        boolean more = true;
        while (more) {
            ListObjectsV2Response page = send(folder, request.build());
            reader.accept(page);
            more = Boolean.TRUE.equals(page.isTruncated());
            request.continuationToken(page.nextContinuationToken());
        }
    }

    private ListObjectsV2Request.Builder request(String folder) {
        return ListObjectsV2Request.builder().bucket(location.bucket()).prefix(prefix(folder));
    }

    private ListObjectsV2Response send(String folder, ListObjectsV2Request request)
            throws IOException {
        try {
            return clients.repeat(client -> client.listObjectsV2(request));
        } catch (SdkException e) {
            throw S3Failures.describe("list", describe(folder), e);
        }
    }

    /** The start of all keys in a folder. */
    private String prefix(String folder) {
        String key = location.key(folder);
        return key.isEmpty() || key.endsWith("/") ? key : key + "/";
    }

    private String describe(String path) {
        return location + "/" + path;
    }
}
