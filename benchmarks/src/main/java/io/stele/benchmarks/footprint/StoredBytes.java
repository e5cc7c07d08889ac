package io.stele.benchmarks.footprint;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The number and bytes of the objects in a folder of a bucket, by kind of object.
 *
 * @param objects number of objects of each kind
 * @param bytes of each kind
 */
record StoredBytes(Map<String, Long> objects, Map<String, Long> bytes) {
    static final String COLUMN_DATA = "column data";
    static final String KEY_INDEXES = "key indexes";

    StoredBytes {
        objects = new TreeMap<>(objects);
        bytes = new TreeMap<>(bytes);
    }

    /**
     * Counts the bytes in a folder of an S3 server that stores a key as a path.
     *
     * @param folder of objects; a missing one has none
     */
    static StoredBytes of(Path folder) throws IOException {
        requireNonNull(folder, "folder is null");
        Map<String, Long> objects = new TreeMap<>();
        Map<String, Long> bytes = new TreeMap<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    String kind = kind(folder.relativize(file));
                    objects.merge(kind, 1L, Long::sum);
                    bytes.merge(kind, Files.size(file), Long::sum);
                }
            }
        }
        return new StoredBytes(objects, bytes);
    }

    /** By docs/format.md, and by the names that Iceberg gives. */
    private static String kind(Path key) {
        String name = key.getFileName().toString();
        String folder = key.getName(0).toString();
        if (!folder.equals("data")) {
            return switch (folder) {
                case "manifest" -> "manifests";
                case "catalog" -> "catalog";
                case "log" -> "log";
                case "txn" -> "decisions";
                default -> name.endsWith(".parquet") ? COLUMN_DATA : "metadata";
            };
        }
        if (name.contains(".dv-")) {
            return "deletion vectors";
        }
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "orc" -> COLUMN_DATA;
            case "sums" -> "checksums";
            case "idx" -> KEY_INDEXES;
            case "bitmaps" -> "bitmaps";
            case "row" -> "SST files";
            default -> "others";
        };
    }

    long totalObjects() {
        return objects.values().stream().mapToLong(Long::longValue).sum();
    }

    long totalBytes() {
        return bytes.values().stream().mapToLong(Long::longValue).sum();
    }

    long bytesOf(String kind) {
        return bytes.getOrDefault(kind, 0L);
    }
}
