package io.stele.protocol;

import java.util.Locale;
import java.util.Map;

/**
 * The error codes of all failures that Stele sends over its protocols. The names never change
 * meaning.
 */
public enum ErrorCode {
    /** The request is invalid in every state of the store. */
    INVALID_ARGUMENT(Category.USER),
    /** A value has another type than its column. */
    TYPE_MISMATCH(Category.USER),
    COLUMN_NOT_FOUND(Category.USER),
    COLUMN_ALREADY_EXISTS(Category.USER),
    /** A key column, or a column declared NOT NULL, is null. */
    NULL_KEY(Category.USER),
    /** A key that must be new, or a value that must be unique, exists already. */
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
     * The transaction was aborted before it was decided: it has no effect, and never will have one.
     */
    TRANSACTION_ABORTED(Category.EXTERNAL),
    /** The result of an aggregation does not fit its type. */
    NUMBER_OUT_OF_RANGE(Category.USER),
    /** An aggregation has more groups than it may, or they need too much memory. */
    TOO_MANY_GROUPS(Category.USER),
    UNAUTHENTICATED(Category.USER),
    /** The work was cancelled on request; finished parts of it remain. */
    CANCELLED(Category.USER),
    /** A limit on queued work is reached; nothing was done; retry later. */
    BUSY(Category.EXTERNAL),
    /**
     * A batch was sent again too late: its outcome is no longer stored. The repetition had no
     * effect.
     */
    OUTCOME_UNKNOWN(Category.EXTERNAL),
    /** The snapshot was closed or its lease expired. */
    SNAPSHOT_EXPIRED(Category.EXTERNAL),
    /** The sidecar cannot be reached, or is starting or stopping. */
    UNAVAILABLE(Category.EXTERNAL),
    /**
     * Stored or received bytes are not valid: a checksum, a magic number or a structure is wrong.
     */
    CORRUPT_DATA(Category.EXTERNAL),
    /** The object store or the log device failed. */
    STORE_FAILED(Category.EXTERNAL),
    /** A broken invariant of Stele. */
    INTERNAL(Category.INTERNAL);

    /** The names that were renamed, as peers of earlier builds send them. */
    private static final Map<String, ErrorCode> EARLIER_NAMES =
            Map.of("READ_POINT_EXPIRED", SNAPSHOT_EXPIRED);

    private final Category category;

    ErrorCode(Category category) {
        this.category = category;
    }

    /** The category: who must act. */
    public Category category() {
        return category;
    }

    /** Whether a change that fails with this code has had no effect, and never will have one. */
    public boolean nothingIsChanged() {
        return category == Category.USER || this == STALE_TABLE || this == TRANSACTION_ABORTED;
    }

    /** Whether the same request may succeed later without any change by the caller. */
    public boolean retryable() {
        return this == BUSY || this == UNAVAILABLE;
    }

    /**
     * The code of a received name, also of an earlier one; {@link #INTERNAL} for an unknown name,
     * as of a newer peer.
     */
    public static ErrorCode of(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (ErrorCode code : values()) {
            if (code.name().equals(upper)) {
                return code;
            }
        }
        return EARLIER_NAMES.getOrDefault(upper, INTERNAL);
    }

    /** The categories of failures, by who must act. */
    public enum Category {
        /** The caller must change the request. */
        USER,
        /** The environment failed: disk, network, limits. */
        EXTERNAL,
        /** Stele failed. */
        INTERNAL
    }
}
