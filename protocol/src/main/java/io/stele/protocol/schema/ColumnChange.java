package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;

/**
 * The description of one ALTER TABLE of a column or a nested field, in requests and for the {@link
 * SchemaEditor}.
 *
 * @param kind the kind of change
 * @param path to the changed part: the column, then names of fields; {@code element}, {@code key}
 *     and {@code value} stand for the parts of arrays and maps. For {@link Kind#ADD} the row that
 *     gets the field; empty: the table gets a column
 * @param name the new name, for ADD and RENAME
 * @param type the new type, for ADD and SET_TYPE
 * @param comment of the column, for ADD
 * @param defaultValue of the column in later statements, for ADD
 * @param position of the column, for ADD; empty: after the other columns
 * @param initialValue of the column in existing rows, for ADD; empty: null
 * @param notNull whether the column is NOT NULL, for ADD; requires an initial value, because
 *     existing rows must have one
 */
public record ColumnChange(
        Kind kind,
        List<String> path,
        Optional<String> name,
        Optional<DataType> type,
        Optional<String> comment,
        Optional<String> defaultValue,
        Optional<Position> position,
        Optional<InitialValue> initialValue,
        boolean notNull) {
    public ColumnChange {
        requireNonNull(kind, "kind is null");
        path = List.copyOf(path);
        requireNonNull(name, "name is null");
        requireNonNull(type, "type is null");
        requireNonNull(comment, "comment is null");
        requireNonNull(defaultValue, "defaultValue is null");
        requireNonNull(position, "position is null");
        check(
                kind == Kind.ADD || !path.isEmpty(),
                "the path of a column or field to " + kind,
                "none");
        check(
                name.isPresent() == (kind == Kind.ADD || kind == Kind.RENAME),
                "a new name for ADD and RENAME only",
                kind + " with " + name);
        check(
                type.isPresent() == (kind == Kind.ADD || kind == Kind.SET_TYPE),
                "a type for ADD and SET_TYPE only",
                kind + " with " + type);
        check(
                comment.isEmpty() || (kind == Kind.ADD && path.isEmpty()),
                "a comment for new columns only",
                kind + " " + path);
        check(
                (position.isEmpty() && defaultValue.isEmpty())
                        || (kind == Kind.ADD && path.isEmpty()),
                "a position or default value for new columns only",
                kind + " " + path);
        requireNonNull(initialValue, "initialValue is null");
        check(
                initialValue.isEmpty() || (kind == Kind.ADD && path.isEmpty()),
                "an initial value for new columns only",
                kind + " " + path);
        check(
                !notNull || initialValue.isPresent(),
                "an initial value of a new NOT NULL column",
                "none");
    }

    /** A change without position, default value and initial value. */
    public ColumnChange(
            Kind kind,
            List<String> path,
            Optional<String> name,
            Optional<DataType> type,
            Optional<String> comment) {
        this(
                kind,
                path,
                name,
                type,
                comment,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    /**
     * The place of a new column.
     *
     * @param after the name of the column before it; empty: it is the first
     */
    public record Position(Optional<String> after) {
        public static final Position FIRST = new Position(Optional.empty());

        public Position {
            requireNonNull(after, "after is null");
        }
    }

    /** The kinds of changes of a column or field. */
    public enum Kind {
        /** A new column, or a new nullable field, which is null in all existing rows. */
        ADD,
        DROP,
        RENAME,
        /** A wider type, which has every value of the old one. */
        SET_TYPE,
        /** The column becomes nullable. */
        DROP_NOT_NULL
    }

    /** The addition of a nullable column after the others. */
    public static ColumnChange addColumn(String name, DataType type, Optional<String> comment) {
        return new ColumnChange(Kind.ADD, List.of(), Optional.of(name), Optional.of(type), comment);
    }

    /** This addition with another position. */
    public ColumnChange at(Position newPosition) {
        return with(defaultValue, Optional.of(newPosition), initialValue, notNull);
    }

    /** This addition with a default value, or without one. */
    public ColumnChange withDefault(Optional<String> newDefault) {
        return with(newDefault, position, initialValue, notNull);
    }

    /** This addition with a value for existing rows. */
    public ColumnChange withInitialValue(InitialValue value) {
        return with(defaultValue, position, Optional.of(value), notNull);
    }

    /** This addition of a NOT NULL column, which needs an initial value. */
    public ColumnChange asNotNull() {
        return with(defaultValue, position, initialValue, true);
    }

    private ColumnChange with(
            Optional<String> newDefault,
            Optional<Position> newPosition,
            Optional<InitialValue> newInitialValue,
            boolean newNotNull) {
        return new ColumnChange(
                kind,
                path,
                name,
                type,
                comment,
                newDefault,
                newPosition,
                newInitialValue,
                newNotNull);
    }

    /** The addition of a nullable field after the other fields of a row. */
    public static ColumnChange addField(List<String> row, String name, DataType type) {
        check(!row.isEmpty(), "the path of a row to add a field to", "none");
        return new ColumnChange(
                Kind.ADD, row, Optional.of(name), Optional.of(type), Optional.empty());
    }

    public static ColumnChange drop(List<String> path) {
        return new ColumnChange(
                Kind.DROP, path, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public static ColumnChange rename(List<String> path, String name) {
        return new ColumnChange(
                Kind.RENAME, path, Optional.of(name), Optional.empty(), Optional.empty());
    }

    public static ColumnChange setType(List<String> path, DataType type) {
        return new ColumnChange(
                Kind.SET_TYPE, path, Optional.empty(), Optional.of(type), Optional.empty());
    }

    public static ColumnChange dropNotNull(String column) {
        return new ColumnChange(
                Kind.DROP_NOT_NULL,
                List.of(column),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
