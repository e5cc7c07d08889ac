package io.stele.storage.objectstore;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

/** One line of a listing: the path of an object and its size in bytes. */
public record ObjectEntry(String path, long sizeBytes) {
    public ObjectEntry {
        requireNonNull(path, "path is null");
        if (sizeBytes < 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a size of at least 0, found %d for %s",
                            sizeBytes,
                            path));
        }
    }
}
