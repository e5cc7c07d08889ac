package io.stele.objectstore.warehouse;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.LocalObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.objectstore.hadoop.HadoopObjectStore;
import io.stele.objectstore.s3.S3Location;
import io.stele.objectstore.s3.S3ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The location of a warehouse, as configured: a local folder, an S3 bucket or a Hadoop file system,
 * with a factory of its object store. {@code toString} returns a text that any process that reaches
 * the location can parse.
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

    /** A directory of HDFS, or of another file system that Hadoop reaches. */
    record Hadoop(HadoopLocation location) implements WarehouseLocation {
        public Hadoop {
            requireNonNull(location, "location is null");
        }

        @Override
        public String toString() {
            return location.toString();
        }
    }

    /**
     * Reads a path of this host, {@code s3://bucket/prefix} or {@code hdfs://host:port/path}.
     *
     * @throws IllegalArgumentException for anything else
     */
    static WarehouseLocation parse(String text) {
        if (S3Location.matches(text)) {
            return new Bucket(S3Location.parse(text));
        }
        if (HadoopLocation.matches(text)) {
            return new Hadoop(HadoopLocation.parse(text));
        }
        if (text.isEmpty() || text.contains("://")) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a folder, s3://bucket/prefix or hdfs://host:port/path, found '%s'",
                            text));
        }
        return new Folder(Path.of(text));
    }

    /**
     * The store of this location, for processes that read and add files. A missing folder is
     * created; other locations get no request yet.
     *
     * @throws IOException if the folder, or the configuration of Hadoop, cannot be used
     */
    default ObjectStore open(WarehouseAccess access) throws IOException {
        return switch (this) {
            case Folder folder -> new LocalObjectStore(folder.path());
            case Bucket bucket ->
                    S3ObjectStore.open(
                            bucket.location(),
                            access.s3(),
                            access.retrieval(),
                            access.random(),
                            access.sleepMillis(),
                            access.retrievalThreads());
            case Hadoop hadoop ->
                    HadoopObjectStore.open(
                            hadoop.location(),
                            access.hadoop(),
                            access.retrieval(),
                            access.random(),
                            access.sleepMillis(),
                            access.retrievalThreads());
        };
    }

    /**
     * The store of this location for the only process that deletes files; a store of a local folder
     * may then keep files open.
     */
    default ObjectStore openAsOwner(WarehouseAccess access) throws IOException {
        return switch (this) {
            case Folder folder -> LocalObjectStore.forOwner(folder.path());
            case Bucket _, Hadoop _ -> open(access);
        };
    }
}
