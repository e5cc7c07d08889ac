package io.stele.storage.objectstore.cached;

import java.util.Optional;

/**
 * Which objects of a warehouse are data files: what lies in {@code data/<table id>/<shard>/}. Each
 * is created once, by a name that is never used again, and never changes.
 */
public final class DataFiles {
    private static final String FOLDER = "data/";

    private DataFiles() {}

    /** The table that a file belongs to; empty for other objects. */
    public static Optional<String> tableId(String path) {
        if (!path.startsWith(FOLDER)) {
            return Optional.empty();
        }
        int end = path.indexOf('/', FOLDER.length());
        return end <= FOLDER.length()
                ? Optional.empty()
                : Optional.of(path.substring(FOLDER.length(), end));
    }
}
