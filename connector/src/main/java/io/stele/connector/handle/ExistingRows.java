package io.stele.connector.handle;

/**
 * The kinds of conflict handling of INSERT into a table with a primary key, for keys that exist
 * already.
 */
public enum ExistingRows {
    /** The new row takes the place of the old one. */
    REPLACE,
    /** The statement fails, and does nothing. */
    FAIL,
    /** The old row stays. */
    IGNORE
}
