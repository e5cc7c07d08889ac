package io.stele.protocol.api.write;

/** The write modes of a Flight DoPut: the effects that its rows can have on the table. */
public enum PutMode {
    /**
     * Whole rows replace what their keys had (or, without a primary key and with a row id column,
     * that row).
     */
    UPSERT,
    /** Rows of key columns (or of the row id column) name what is to go. */
    DELETE,
    /** Whole rows of a table without a primary key. */
    APPEND,
    /** Whole rows of new keys; an existing key makes the put fail. */
    INSERT,
    /** Whole rows; those whose key is there already are skipped. */
    INSERT_IF_ABSENT,
    /**
     * Rows of some columns, the key's among them: these change; rows without a match are skipped.
     */
    UPDATE,
    /** As {@link #UPDATE}, but a key that is not there gets a row whose other columns are null. */
    UPDATE_OR_INSERT;

    /** Whether only tables with a primary key can take it. */
    public boolean needsPrimaryKey() {
        return switch (this) {
            case UPSERT, DELETE, APPEND -> false;
            case INSERT, INSERT_IF_ABSENT, UPDATE, UPDATE_OR_INSERT -> true;
        };
    }

    /** Whether the rows have some columns only. */
    public boolean isPartial() {
        return this == UPDATE || this == UPDATE_OR_INSERT;
    }
}
