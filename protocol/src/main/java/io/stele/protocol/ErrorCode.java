package io.stele.protocol;

import java.util.Locale;

/** Every failure that crosses a wire has one of these names; the names never change meaning. */
public enum ErrorCode {
    /** The request is invalid in every state of the store. */
    INVALID_ARGUMENT(Category.USER),
    /** A value has another type than its column. */
    TYPE_MISMATCH(Category.USER),
    COLUMN_NOT_FOUND(Category.USER),
    COLUMN_ALREADY_EXISTS(Category.USER),
    /** A key column, or a column declared NOT NULL, is null. */
    NULL_KEY(Category.USER),
    /** A key that must be new, or a value that must be unique, is there already. */
    DUPLICATE_KEY(Category.USER),
    KEY_TOO_LARGE(Category.USER),
    ROW_TOO_LARGE(Category.USER),
    SCHEMA_NOT_FOUND(Category.USER),
    SCHEMA_ALREADY_EXISTS(Category.USER),
    SCHEMA_NOT_EMPTY(Category.USER),
    TABLE_NOT_FOUND(Category.USER),
    TABLE_ALREADY_EXISTS(Category.USER),
    /**
     * The caller's table id or schema version is not the current one: fetch the table again, then
     * retry.
     */
    STALE_TABLE(Category.EXTERNAL),
    TRANSACTION_NOT_FOUND(Category.USER),
    /** A row that the transaction read has been changed since: run the statement again. */
    TRANSACTION_CONFLICT(Category.USER),
    TRANSACTION_TOO_LARGE(Category.USER),
    /**
     * Something stood in the way of the transaction before it was decided: nothing of it is there,
     * and never will be.
     */
    TRANSACTION_ABORTED(Category.EXTERNAL),
    /** The result of an aggregation does not fit its type. */
    NUMBER_OUT_OF_RANGE(Category.USER),
    /** An aggregation has more groups than it may, or they need too much memory. */
    TOO_MANY_GROUPS(Category.USER),
    UNAUTHENTICATED(Category.USER),
    /** The work was cancelled on request; the part that was not done is not done. */
    CANCELLED(Category.USER),
    /** A limit on queued work is reached; nothing was done; retry later. */
    BUSY(Category.EXTERNAL),
    /** A batch was sent again too late: its outcome is no longer stored. Nothing was done now. */
    OUTCOME_UNKNOWN(Category.EXTERNAL),
    /** The snapshot was closed or its lease expired. */
    READ_POINT_EXPIRED(Category.EXTERNAL),
    /** The sidecar cannot be reached, or is starting or stopping. */
    UNAVAILABLE(Category.EXTERNAL),
    /** Bytes that must be ours are not: a checksum, a magic number or a structure is wrong. */
    CORRUPT_DATA(Category.EXTERNAL),
    /** The object store or the log device failed. */
    STORE_FAILED(Category.EXTERNAL),
    /** A broken invariant of Stele. */
    INTERNAL(Category.INTERNAL);

    private final Category category;

    ErrorCode(Category category) {
        this.category = category;
    }

    /** Whose problem it is. */
    public Category category() {
        return category;
    }

    /** Whether a change that fails so has changed nothing, and never will. */
    public boolean nothingIsChanged() {
        return category == Category.USER || this == STALE_TABLE || this == TRANSACTION_ABORTED;
    }

    /** Whether the same request may succeed later without any change by the caller. */
    public boolean retryable() {
        return this == BUSY || this == UNAVAILABLE;
    }

    /** The code of a name from the wire; an unknown name (a newer peer's) is {@link #INTERNAL}. */
    public static ErrorCode of(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (ErrorCode code : values()) {
            if (code.name().equals(upper)) {
                return code;
            }
        }
        return INTERNAL;
    }

    /** Whose problem a failure is. */
    public enum Category {
        /** The caller must change the request. */
        USER,
        /** The world failed: disk, network, limits. */
        EXTERNAL,
        /** Stele failed. */
        INTERNAL
    }
}
