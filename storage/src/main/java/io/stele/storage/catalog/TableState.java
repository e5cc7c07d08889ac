package io.stele.storage.catalog;

/** Whether a table is there for everyone. */
public enum TableState {
    /** Being filled by the statement that creates it; found by id only; dropped at start-up. */
    STAGED,
    /** Found by name. */
    PUBLIC
}
