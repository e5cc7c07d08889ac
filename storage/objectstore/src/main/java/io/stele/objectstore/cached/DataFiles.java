package io.stele.objectstore.cached;

import java.util.Optional;

/**
 * The naming convention of data files: the objects of a warehouse in {@code data/<table
 * id>/<shard>/}. The data page cache and the caches of results recognize data files and their
 * tables by it.
 *
 * <p>Invariant: a data file is created once, under a name that is never used again, and never
 * changes.
 */
public final class DataFiles {
    private static final String FOLDER = "data/";

    private DataFiles() {}

    /** The id of the table that a file belongs to; empty for other objects. */
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
