package io.stele.storage.objectstore;

import static java.util.Objects.requireNonNull;

/** One line of a listing: the path of an object and its size in bytes. */
public record ObjectEntry(String path, long sizeBytes) {
    public ObjectEntry {
        requireNonNull(path, "path is null");
        if (sizeBytes < 0) {
            throw new IllegalArgumentException(
                    "Expected a size of at least 0, found %d for %s".formatted(sizeBytes, path));
        }
    }
}
