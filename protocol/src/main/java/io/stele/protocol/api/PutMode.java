package io.stele.protocol.api;

/** What a DoPut does with the rows it brings. */
public enum PutMode {
    /**
     * Whole rows replace what their keys had (or, without a primary key and with a row id column,
     * that row).
     */
    UPSERT,
    /** Rows of key columns (or of the row id column) name what is to go. */
    DELETE,
    /** Whole rows of a table without a primary key. */
    APPEND
}
