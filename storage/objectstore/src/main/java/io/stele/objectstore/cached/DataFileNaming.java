package io.stele.objectstore.cached;

import java.util.Optional;

/**
 * A naming convention of data files, by which the data page cache recognizes them and their tables:
 * {@link DataFiles} in a warehouse of Stele.
 *
 * <p>Invariant: a data file is created once, under a name that is never used again, and never
 * changes.
 */
@FunctionalInterface
public interface DataFileNaming {
    /** The id of the table that a file belongs to; empty if the path is not that of a data file. */
    Optional<String> tableId(String path);
}
