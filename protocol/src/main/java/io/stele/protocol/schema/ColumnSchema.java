package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The definition of one column of a table.
 *
 * @param id identity through renames and reorders, {@code > 0}, unique in the table for ever
 * @param name 1 to 128 characters; not {@code _lsn} or {@code _row_id}, and not starting with
 *     {@code $}
 * @param type type
 * @param nullable whether values may be null
 * @param comment comment of the user
 * @param fieldIds permanent ids of the row fields inside the type, in the order of {@link
 *     IdentifiedType}; empty: the ids are 1, 2 and so on, as in every column whose nested type
 *     never changed
 * @param defaultValue an SQL literal that statements write if they specify no value, 1 to {@value
 *     #MAX_DEFAULT_LENGTH} characters; empty: null. Only Trino uses it; it does not affect existing
 *     rows
 * @param initialValue the value of rows that were written before the column was added; it never
 *     changes; empty: null
 */
public record ColumnSchema(
        @JsonProperty("id") int id,
        @JsonProperty("name") String name,
        @JsonProperty("type") DataType type,
        @JsonProperty("nullable") boolean nullable,
        @JsonProperty("comment") Optional<String> comment,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("fieldIds")
                List<Integer> fieldIds,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("defaultValue")
                Optional<String> defaultValue,
        @JsonInclude(JsonInclude.Include.NON_ABSENT) @JsonProperty("initialValue")
                Optional<InitialValue> initialValue) {
    /** Hidden column of every column file: the LSN of the row's version. */
    public static final String LSN_NAME = "_lsn";

    /** Hidden column of tables without a primary key: the row's generated key. */
    public static final String ROW_ID_NAME = "_row_id";

    /** The longest name, in characters, as in Trino's information schema and most databases. */
    public static final int MAX_NAME_LENGTH = 128;

    /** The longest default value, in characters. */
    public static final int MAX_DEFAULT_LENGTH = 10_000;

    public ColumnSchema {
        check(id > 0, "a column id > 0", id);
        requireNonNull(type, "type is null");
        requireNonNull(comment, "comment is null");
        checkName(name);
        fieldIds = Objects.requireNonNullElse(fieldIds, List.<Integer>of()); // of older peers
        fieldIds = canonical(name, type, List.copyOf(fieldIds));
        requireNonNull(defaultValue, "defaultValue is null");
        check(
                defaultValue
                        .filter(text -> text.isEmpty() || text.length() > MAX_DEFAULT_LENGTH)
                        .isEmpty(),
                "a default value of 1 to " + MAX_DEFAULT_LENGTH + " characters",
                "another of column '" + name + "'");
        requireNonNull(initialValue, "initialValue is null");
        check(
                initialValue.isEmpty() || initialValue.get().fits(type),
                "an initial value of type " + type + " for column '" + name + "'",
                initialValue);
    }

    /** A column that is null in rows written before it was added. */
    public ColumnSchema(
            int id,
            String name,
            DataType type,
            boolean nullable,
            Optional<String> comment,
            List<Integer> fieldIds,
            Optional<String> defaultValue) {
        this(id, name, type, nullable, comment, fieldIds, defaultValue, Optional.empty());
    }

    /** A column without a default value. */
    public ColumnSchema(
            int id,
            String name,
            DataType type,
            boolean nullable,
            Optional<String> comment,
            List<Integer> fieldIds) {
        this(id, name, type, nullable, comment, fieldIds, Optional.empty());
    }

    /** A column whose nested type never changed. */
    public ColumnSchema(
            int id, String name, DataType type, boolean nullable, Optional<String> comment) {
        this(id, name, type, nullable, comment, List.of());
    }

    /** A nullable column without a comment. */
    public ColumnSchema(int id, String name, DataType type) {
        this(id, name, type, true, Optional.empty());
    }

    /** This column as NOT NULL. */
    public ColumnSchema notNull() {
        return new ColumnSchema(
                id, name, type, false, comment, fieldIds, defaultValue, initialValue);
    }

    /** This column as nullable. */
    ColumnSchema withNullable() {
        return new ColumnSchema(
                id, name, type, true, comment, fieldIds, defaultValue, initialValue);
    }

    /** This column with another name. */
    ColumnSchema withName(String newName) {
        return new ColumnSchema(
                id, newName, type, nullable, comment, fieldIds, defaultValue, initialValue);
    }

    /** This column with another type. */
    ColumnSchema withType(IdentifiedType newType) {
        return new ColumnSchema(
                id,
                name,
                newType.type(),
                nullable,
                comment,
                newType.ids(),
                defaultValue,
                initialValue);
    }

    /** The permanent id of each row field inside the type; see {@link IdentifiedType}. */
    public List<Integer> nestedFieldIds() {
        return fieldIds.isEmpty() ? firstIds(IdentifiedType.fieldCount(type)) : fieldIds;
    }

    /** This column with another comment. */
    public ColumnSchema withComment(Optional<String> newComment) {
        return new ColumnSchema(
                id, name, type, nullable, newComment, fieldIds, defaultValue, initialValue);
    }

    /** This column with another default value, or without one. */
    public ColumnSchema withDefault(Optional<String> newDefault) {
        return new ColumnSchema(
                id, name, type, nullable, comment, fieldIds, newDefault, initialValue);
    }

    /** This column with another initial value, which rows from before its addition have. */
    ColumnSchema withInitialValue(Optional<InitialValue> value) {
        return new ColumnSchema(id, name, type, nullable, comment, fieldIds, defaultValue, value);
    }

    private static List<Integer> firstIds(int count) {
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    private static List<Integer> canonical(String name, DataType type, List<Integer> ids) {
        if (ids.isEmpty()) {
            return ids;
        }
        int fields = IdentifiedType.fieldCount(type);
        check(
                ids.size() == fields && new HashSet<>(ids).size() == fields,
                fields + " different ids of the fields of column '" + name + "'",
                ids);
        check(
                ids.stream().allMatch(fieldId -> fieldId > 0),
                "ids > 0 of the fields of column '" + name + "'",
                ids);
        return ids.equals(firstIds(fields)) ? List.of() : ids;
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
