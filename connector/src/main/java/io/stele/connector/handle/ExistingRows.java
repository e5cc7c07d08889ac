package io.stele.connector.handle;

/** What INSERT into a table with a primary key does where its key is there already. */
public enum ExistingRows {
    /** The new row takes the place of the old one. */
    REPLACE,
    /** The statement fails, and does nothing. */
    FAIL,
    /** The old row stays. */
    IGNORE
}
