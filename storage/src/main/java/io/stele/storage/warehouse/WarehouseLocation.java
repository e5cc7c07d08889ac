package io.stele.storage.warehouse;

import static java.util.Objects.requireNonNull;

import io.stele.storage.objectstore.LocalObjectStore;
import io.stele.storage.objectstore.ObjectStore;
import io.stele.storage.objectstore.s3.S3Config;
import io.stele.storage.objectstore.s3.S3Location;
import io.stele.storage.objectstore.s3.S3ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * Where a warehouse is, as the configuration says it; {@code toString} says it so that any process
 * that reaches it understands it.
 */
public sealed interface WarehouseLocation {
    /** A folder of this host. */
    record Folder(Path path) implements WarehouseLocation {
        public Folder {
            path = requireNonNull(path, "path is null").toAbsolutePath().normalize();
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** A part of a bucket of S3. */
    record Bucket(S3Location location) implements WarehouseLocation {
        public Bucket {
            requireNonNull(location, "location is null");
        }

        @Override
        public String toString() {
            return location.toString();
        }
    }

    /**
     * Reads a path of this host or {@code s3://bucket/prefix}.
     *
     * @throws IllegalArgumentException for anything else
     */
    static WarehouseLocation parse(String text) {
        if (S3Location.matches(text)) {
            return new Bucket(S3Location.parse(text));
        }
        if (text.isEmpty() || text.contains("://")) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a folder or s3://bucket/prefix, found '%s'",
                            text));
        }
        return new Folder(Path.of(text));
    }

    /**
     * The store of this location, for whoever reads and adds files. A folder is made if it is not
     * there; of S3 nothing is asked yet.
     *
     * @param config used by buckets only
     * @param random safe for many threads
     * @param sleepMillis lets the calling thread wait between attempts
     * @throws IOException if the folder cannot be used
     */
    default ObjectStore open(S3Config config, RandomGenerator random, LongConsumer sleepMillis)
            throws IOException {
        return switch (this) {
            case Folder folder -> new LocalObjectStore(folder.path());
            case Bucket bucket ->
                    S3ObjectStore.open(bucket.location(), config, random, sleepMillis);
        };
    }

    /** The same for the one process that deletes files; it may keep files of a folder open. */
    default ObjectStore openAsOwner(
            S3Config config, RandomGenerator random, LongConsumer sleepMillis) throws IOException {
        return switch (this) {
            case Folder folder -> LocalObjectStore.forOwner(folder.path());
            case Bucket _ -> open(config, random, sleepMillis);
        };
    }
}
