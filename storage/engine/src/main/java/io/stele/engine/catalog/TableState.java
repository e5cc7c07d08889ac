package io.stele.engine.catalog;

/** The lifecycle states of a table in the catalog: whether every reader finds it. */
public enum TableState {
    /** Being filled by the statement that creates it; found by id only; dropped at start-up. */
    STAGED,
    /** As {@link #STAGED}; takes the place of a public table of its name when it is published. */
    REPLACEMENT,
    /** Found by name. */
    PUBLIC,
    /** Has the rows of a materialized view; found by id only, and dropped with the view. */
    STORAGE,
    /**
     * Truncated, or replaced by another table: read at snapshots before its replacement, and never
     * written.
     */
    REPLACED;

    /** Whether the statement that creates the table has not ended. */
    public boolean isStaged() {
        return this == STAGED || this == REPLACEMENT;
    }
}
