package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;

/**
 * One column of a table.
 *
 * @param id identity through renames and reorders, {@code > 0}, unique in the table for ever
 * @param name 1 to 128 characters; not {@code _lsn} or {@code _row_id}, and not starting with
 *     {@code $}
 * @param type type
 * @param nullable whether values may be null
 * @param comment comment of the user
 */
public record ColumnSchema(
        @JsonProperty("id") int id,
        @JsonProperty("name") String name,
        @JsonProperty("type") DataType type,
        @JsonProperty("nullable") boolean nullable,
        @JsonProperty("comment") Optional<String> comment) {
    /** Hidden column of every column file: the LSN of the row's version. */
    public static final String LSN_NAME = "_lsn";

    /** Hidden column of tables without a primary key: the row's generated key. */
    public static final String ROW_ID_NAME = "_row_id";

    /** Longest name, in characters: as in Trino's information schema and most databases. */
    public static final int MAX_NAME_LENGTH = 128;

    public ColumnSchema {
        check(id > 0, "a column id > 0", id);
        requireNonNull(type, "type is null");
        requireNonNull(comment, "comment is null");
        checkName(name);
    }

    /** A nullable column without a comment. */
    public ColumnSchema(int id, String name, DataType type) {
        this(id, name, type, true, Optional.empty());
    }

    /** The same column, NOT NULL. */
    public ColumnSchema notNull() {
        return new ColumnSchema(id, name, type, false, comment);
    }

    /** The same column with another comment. */
    public ColumnSchema withComment(Optional<String> newComment) {
        return new ColumnSchema(id, name, type, nullable, newComment);
    }

    private static void checkName(String name) {
        check(
                !name.isEmpty() && name.length() <= MAX_NAME_LENGTH,
                "a column name of 1 to " + MAX_NAME_LENGTH + " characters",
                "'" + name + "'");
        boolean reserved =
                name.equalsIgnoreCase(LSN_NAME)
                        || name.equalsIgnoreCase(ROW_ID_NAME)
                        || name.startsWith("$");
        check(!reserved, "a column name other than _lsn, _row_id and $...", "'" + name + "'");
        check(
                name.chars().noneMatch(Character::isISOControl),
                "a column name without control characters",
                name);
    }
}
