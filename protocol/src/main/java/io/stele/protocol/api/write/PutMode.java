package io.stele.protocol.api.write;

/** The write modes of a Flight DoPut: the effects that its rows can have on the table. */
public enum PutMode {
    /** Whole rows replace the rows of their keys (or, without a primary key, of their row ids). */
    UPSERT,
    /** Rows of key columns (or of the row id column) identify the rows to delete. */
    DELETE,
    /** Whole rows of a table without a primary key. */
    APPEND,
    /** Whole rows of new keys; an existing key makes the put fail. */
    INSERT,
    /** Whole rows; rows whose key exists are skipped. */
    INSERT_IF_ABSENT,
    /**
     * Rows of the key columns and some other columns, whose values change in the row of the key;
     * rows whose key does not exist are skipped.
     */
    UPDATE,
    /**
     * As {@link #UPDATE}, but a key that does not exist gets a row whose other columns are null.
     */
    UPDATE_OR_INSERT;

    /** Whether it is only for tables with a primary key. */
    public boolean needsPrimaryKey() {
        return switch (this) {
            case UPSERT, DELETE, APPEND -> false;
            case INSERT, INSERT_IF_ABSENT, UPDATE, UPDATE_OR_INSERT -> true;
        };
    }

    /** Whether the rows have only some of the columns. */
    public boolean isPartial() {
        return this == UPDATE || this == UPDATE_OR_INSERT;
    }
}
