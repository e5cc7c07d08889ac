package io.stele.protocol.schema;

import static io.stele.protocol.schema.TypeLimits.check;
import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.IdentifiedType.Child;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An editor that derives the next schema of a table from one change. It rejects a change, with a
 * message that names it, if existing rows and files could not be read after it. Used once; confined
 * to one thread.
 */
public final class SchemaEditor {
    private final TableSchema table;
    private int nextId;

    /**
     * @param nextColumnId id of the next column or field
     */
    public SchemaEditor(TableSchema table, int nextColumnId) {
        this.table = requireNonNull(table, "table is null");
        this.nextId = nextColumnId;
    }

    /** The id for the next column or field after the change. */
    public int nextColumnId() {
        return nextId;
    }

    /**
     * The table after a change, with the next schema version.
     *
     * @throws SteleException COLUMN_NOT_FOUND, or INVALID_ARGUMENT naming the refused part
     */
    public TableSchema apply(ColumnChange change) {
        List<ColumnSchema> columns = new ArrayList<>(table.columns());
        if (change.path().isEmpty()) {
            columns.add(positionOf(change), newColumn(change));
            return with(columns);
        }
        int index = indexOf(change.path().get(0));
        ColumnSchema column = columns.get(index);
        if (change.path().size() > 1 || change.kind() == ColumnChange.Kind.ADD) {
            requireStructureOf(column, change);
            columns.set(index, changeInside(column, change));
            return with(columns);
        }
        switch (change.kind()) {
            case DROP -> {
                requireUnused(column, "drop");
                columns.remove(index);
                check(!columns.isEmpty(), "a column to stay", "the last one");
            }
            case RENAME -> {
                String name = change.name().orElseThrow();
                checkNew(
                        table.findColumn(name).stream()
                                .allMatch(found -> found.id() == column.id()),
                        "column of " + table.qualifiedName(),
                        name);
                columns.set(index, column.withName(name));
            }
            case SET_TYPE -> {
                requireUnused(column, "give another type");
                IdentifiedType wider =
                        TypeWidening.widen(
                                IdentifiedType.of(column),
                                change.type().orElseThrow(),
                                column.name());
                columns.set(index, column.withType(wider));
            }
            case DROP_NOT_NULL -> {
                check(
                        !table.primaryKey().contains(column.id()),
                        "a column outside the primary_key to drop NOT NULL of",
                        "'" + column.name() + "'");
                columns.set(index, column.withNullable());
            }
            default -> throw new IllegalStateException("Unexpected " + change);
        }
        return with(columns);
    }

    private TableSchema with(List<ColumnSchema> columns) {
        return table.withColumns(Math.addExact(table.schemaVersion(), 1), columns);
    }

    private int positionOf(ColumnChange change) {
        if (change.position().isEmpty()) {
            return table.columns().size();
        }
        return change.position().get().after().map(after -> indexOf(after) + 1).orElse(0);
    }

    private ColumnSchema newColumn(ColumnChange change) {
        String name = change.name().orElseThrow();
        checkNew(table.findColumn(name).isEmpty(), "column of " + table.qualifiedName(), name);
        ColumnSchema column =
                new ColumnSchema(
                                takeId(),
                                name,
                                change.type().orElseThrow(),
                                !change.notNull(),
                                change.comment())
                        .withDefault(change.defaultValue())
                        .withInitialValue(change.initialValue());
        // Its fields have the ids 1, 2 and so on; fields added later must have other ids.
        nextId = Math.max(nextId, Math.addExact(column.nestedFieldIds().size(), 1));
        return column;
    }

    private ColumnSchema changeInside(ColumnSchema column, ColumnChange change) {
        IdentifiedType changed =
                at(IdentifiedType.of(column), change, 1, new StringBuilder(column.name()));
        return column.withType(changed);
    }

    /** Follows the path and changes the part at its end. */
    private IdentifiedType at(
            IdentifiedType type, ColumnChange change, int step, StringBuilder where) {
        List<String> path = change.path();
        if (step == path.size()) {
            return switch (change.kind()) {
                case ADD -> addField(type, change, where.toString());
                case SET_TYPE ->
                        TypeWidening.widen(type, change.type().orElseThrow(), where.toString());
                default -> throw new IllegalStateException("Unexpected " + change);
            };
        }
        List<Child> children = new ArrayList<>(type.children());
        int found = indexOf(children, path.get(step), where.toString(), type);
        Child child = children.get(found);
        check(
                type.type().kind() != TypeKind.MAP || found == 1,
                "a change outside of map keys",
                "'" + where + "." + path.get(step) + "'");
        boolean isLast = step == path.size() - 1;
        switch (change.kind()) {
            case DROP, RENAME -> {
                if (isLast) {
                    requireField(type, where, path.get(step));
                    if (change.kind() == ColumnChange.Kind.DROP) {
                        check(children.size() > 1, "a field of '" + where + "' to stay", "none");
                        children.remove(found);
                    } else {
                        String name = change.name().orElseThrow();
                        requireNewField(children, name, found, where.toString());
                        children.set(found, new Child(child.id(), Optional.of(name), child.type()));
                    }
                    return type.withChildren(children);
                }
            }
            case DROP_NOT_NULL -> check(false, "a column to drop NOT NULL of", "the field " + path);
            default -> {}
        }
        where.append('.').append(path.get(step));
        children.set(found, child.withType(at(child.type(), change, step + 1, where)));
        return type.withChildren(children);
    }

    private IdentifiedType addField(IdentifiedType type, ColumnChange change, String where) {
        check(
                type.type().kind() == TypeKind.ROW,
                "'" + where + "' of a row type to add a field to",
                type.type());
        String name = change.name().orElseThrow();
        List<Child> children = new ArrayList<>(type.children());
        requireNewField(children, name, -1, where);
        int id = takeId();
        IdentifiedType added = IdentifiedType.of(change.type().orElseThrow(), this::takeId);
        children.add(new Child(id, Optional.of(name), added));
        return type.withChildren(children);
    }

    private static void requireField(IdentifiedType type, StringBuilder where, String name) {
        check(
                type.type().kind() == TypeKind.ROW,
                "a field of a row",
                "'" + where + "." + name + "' of " + type.type());
    }

    private static void requireNewField(
            List<Child> children, String name, int except, String where) {
        check(
                !name.isEmpty() && name.length() <= ColumnSchema.MAX_NAME_LENGTH,
                "a field name of 1 to " + ColumnSchema.MAX_NAME_LENGTH + " characters",
                "'" + name + "'");
        for (int i = 0; i < children.size(); i++) {
            checkNew(
                    i == except || !isNamed(children.get(i), i, name),
                    "field of '" + where + "'",
                    name);
        }
    }

    private static void checkNew(boolean isNew, String what, String name) {
        if (!isNew) {
            throw new SteleException(
                    ErrorCode.COLUMN_ALREADY_EXISTS,
                    "Expected a new " + what + ", found '" + name + "' existing");
        }
    }

    /** Searches the exact name first, then the name without case. */
    private static int indexOf(
            List<Child> children, String name, String where, IdentifiedType type) {
        int found = -1;
        for (int i = 0; i < children.size(); i++) {
            if (children.get(i).name().filter(name::equals).isPresent()) {
                return i;
            }
            if (found < 0 && isNamed(children.get(i), i, name)) {
                found = i;
            }
        }
        if (found < 0) {
            throw new SteleException(
                    ErrorCode.COLUMN_NOT_FOUND,
                    "Expected a field '%s' of '%s', found %s".formatted(name, where, type.type()));
        }
        return found;
    }

    private static boolean isNamed(Child child, int index, String name) {
        return child.name().orElse("field" + index).equalsIgnoreCase(name);
    }

    private int indexOf(String name) {
        ColumnSchema column =
                table.findColumn(name)
                        .orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.COLUMN_NOT_FOUND,
                                                "Expected a column '%s' of %s, found none"
                                                        .formatted(name, table.qualifiedName())));
        return table.indexOf(column.id());
    }

    private void requireStructureOf(ColumnSchema column, ColumnChange change) {
        check(
                column.type().form().isNested(),
                "column '" + column.name() + "' of a nested type to change inside of",
                column.type() + " for " + change.path());
    }

    /** Checks that no key, partition, segment or index uses the bytes of the column. */
    private void requireUnused(ColumnSchema column, String what) {
        int id = column.id();
        refuse(table.primaryKey().contains(id), column, what, "primary_key");
        refuse(table.distributionKey().contains(id), column, what, "distribution_key");
        refuse(table.clusteringKey().contains(id), column, what, "clustering_key");
        refuse(table.partitionedBy().contains(id), column, what, "partitioned_by");
        TableOptions options = table.options();
        refuse(options.segmentKey().contains(id), column, what, "segment_key");
        refuse(options.bitmapColumns().contains(id), column, what, "bitmap_columns");
        refuse(options.dictionaryColumns().contains(id), column, what, "dictionary_columns");
        for (IndexSchema index : options.indexes()) {
            refuse(index.columns().contains(id), column, what, "index '" + index.name() + "'");
        }
    }

    private static void refuse(boolean used, ColumnSchema column, String what, String by) {
        check(
                !used,
                "a column to " + what + " that nothing is made of",
                "'" + column.name() + "' of " + by);
    }

    private int takeId() {
        int id = nextId;
        nextId = Math.addExact(nextId, 1);
        return id;
    }
}
