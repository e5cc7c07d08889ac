package io.stele.objectstore;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Locale;

/**
 * One object in a listing of an object store, with its size and modification time.
 *
 * @param path of the object
 * @param sizeBytes its size in bytes
 * @param modified when it was created or last replaced, by the clock of the store; a coarse clock
 *     rounds it down, never up
 */
public record ObjectEntry(String path, long sizeBytes, Instant modified) {
    public ObjectEntry {
        requireNonNull(path, "path is null");
        requireNonNull(modified, "modified is null");
        if (sizeBytes < 0) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected a size of at least 0, found %d for %s",
                            sizeBytes,
                            path));
        }
    }

    /** An entry for uses that ignore the modification time, which is the epoch here. */
    public ObjectEntry(String path, long sizeBytes) {
        this(path, sizeBytes, Instant.EPOCH);
    }
}
