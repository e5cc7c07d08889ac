package io.stele.objectstore.warehouse;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.FolderStore;
import io.stele.objectstore.LocalObjectStore;
import io.stele.objectstore.PathRule;
import io.stele.objectstore.hadoop.HadoopLocation;
import io.stele.objectstore.hadoop.HadoopObjectStore;
import io.stele.objectstore.s3.S3Location;
import io.stele.objectstore.s3.S3ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The root of a bucket, an HDFS or the local file system, with a factory of the store of all its
 * files, for data lakes. Other programs write these files, too, and they have any names.
 *
 * @param authority the bucket, or host and port; empty for this host and for the HDFS that the
 *     configuration of Hadoop names
 */
public record LakeRoot(Kind kind, String authority) {
    /** The kinds of stores that hold lakes. */
    public enum Kind {
        FOLDER,
        S3,
        HDFS
    }

    public LakeRoot {
        requireNonNull(kind, "kind is null");
        requireNonNull(authority, "authority is null");
        if (kind == Kind.S3 && authority.isEmpty()) {
            throw new IllegalArgumentException("Expected s3://bucket/..., found no bucket");
        }
        if (kind == Kind.FOLDER && !authority.isEmpty()) {
            throw new IllegalArgumentException(
                    "Expected file:/... or file:///..., found the host " + authority);
        }
    }

    /**
     * The root of a location that has this scheme and authority.
     *
     * @param scheme {@code s3}, {@code s3a}, {@code hdfs}, {@code file}, or none for a path
     * @throws IllegalArgumentException for any other scheme
     */
    public static LakeRoot of(@Nullable String scheme, @Nullable String authority) {
        Kind kind =
                switch (scheme == null ? "file" : scheme.toLowerCase(Locale.ROOT)) {
                    case "file" -> Kind.FOLDER;
                    case "s3", "s3a" -> Kind.S3;
                    case "hdfs" -> Kind.HDFS;
                    default ->
                            throw new IllegalArgumentException(
                                    "Expected a location of s3://, s3a://, hdfs:// or file:/, found scheme '%s'"
                                            .formatted(scheme));
                };
        return new LakeRoot(kind, authority == null ? "" : authority);
    }

    /**
     * A store over all files below the root, without any request yet. Opening it and reading from
     * it change nothing there.
     *
     * @throws IOException if threads cannot be started, or the configuration of Hadoop cannot be
     *     read
     */
    public FolderStore open(WarehouseAccess access) throws IOException {
        return switch (kind) {
            case FOLDER -> LocalObjectStore.ofLake(Path.of("/"));
            case S3 ->
                    S3ObjectStore.open(
                            new S3Location(authority, ""),
                            PathRule.ANY,
                            access.s3(),
                            access.retrieval(),
                            access.random(),
                            access.sleepMillis(),
                            access.retrievalThreads());
            case HDFS ->
                    HadoopObjectStore.ofLake(
                            // The store uses only the file system of this location, not its path
                            HadoopLocation.parse("hdfs://" + authority + "/lake"),
                            access.hadoop(),
                            access.retrieval(),
                            access.random(),
                            access.sleepMillis(),
                            access.retrievalThreads());
        };
    }

    @Override
    public String toString() {
        return switch (kind) {
            case FOLDER -> "file:/";
            case S3 -> "s3://" + authority;
            case HDFS -> "hdfs://" + authority;
        };
    }
}
